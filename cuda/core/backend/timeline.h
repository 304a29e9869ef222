// Records named intervals of time, by thread and GPU: for the panel "Time of a frame", trace files and profilers.
//
//   const Timeline::Scope scope(TimeUse::panels, "panels");
//
// While nothing is recorded, a scope costs one relaxed atomic read.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace perturb {

class Backend;

namespace detail {
class TimeRing;
}

// Use of an interval of time. The uses before `frame` add up to a frame: each interval counts without those
// inside it. A frame contains all others of its thread; lanes of a race and loops are details of the interval around
// them.
enum class TimeUse : std::uint8_t { events, steps, painting, numbers, panels, swap, waiting, other, frame, lane, loop };
inline constexpr std::size_t frame_uses = 8;
// As in trace files.
const char* name_of(TimeUse use);

struct TimedInterval {
  std::array<char, 48> name{};  // ends with 0; longer names are cut
  TimeUse use = TimeUse::other;
  std::int64_t begin = 0, end = 0;  // Timeline::now()

  TimedInterval() = default;
  TimedInterval(TimeUse use, const char* name, std::int64_t begin, std::int64_t end);
  double seconds() const { return 1e-9 * static_cast<double>(end - begin); }
};

// The intervals of one thread or GPU, in the order in which they ended.
struct TimelineTrack {
  int id = 0;
  std::string name;
  bool is_gpu = false;
  std::int64_t omitted = 0;  // older ones that no longer fit
  std::vector<TimedInterval> intervals;
};

class Timeline {
 public:
  // Of each track the newest are kept.
  static constexpr std::size_t capacity = std::size_t{1} << 17;

  static bool is_recording() noexcept { return recordings_.load(std::memory_order_relaxed) > 0; }
  // Nanoseconds of the steady clock.
  static std::int64_t now() noexcept;

  // Intervals are recorded while at least one of these exists. The first one discards those of earlier recordings.
  class Recording {
   public:
    Recording();
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
  };
  // Number of recordings begun so far, without those that began during another one.
  static int generation() noexcept { return generation_.load(std::memory_order_relaxed); }

  // The interval of its lifetime on this thread; also a range of NVTX in a CUDA build. `name` must outlive it.
  class Scope {
   public:
    Scope(TimeUse use, const char* name) : use_(use), name_(name) {
      if (is_recording()) begin();
    }
    ~Scope() {
      if (begin_ != 0) end();
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    void begin() noexcept;
    void end() noexcept;
    TimeUse use_;
    const char* name_;
    std::int64_t begin_ = 0;  // 0: not recorded
  };

  // While intervals are recorded, those of this backend's loops are too. Call on the thread that uses the backend.
  class LoopScope {
   public:
    explicit LoopScope(Backend& backend);
    ~LoopScope();
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;

   private:
    Backend& backend_;
    bool before_;
  };

  // The name of the calling thread's track: a literal.
  static void name_this_thread(const char* name) noexcept;
  // Id of the calling thread's track; 0 if it has recorded nothing yet.
  static int this_thread() noexcept;
  // Adds an interval of the calling thread while intervals are recorded.
  static void add(const TimedInterval& interval) noexcept;

  // The track of a GPU, to which the owner of the object adds.
  class GpuTrack {
   public:
    explicit GpuTrack(const std::string& name);
    void add(const TimedInterval& interval) noexcept;

   private:
    std::shared_ptr<detail::TimeRing> ring_;
  };

  // All tracks with what they keep, also after the end of a recording. Tracks without intervals are left out.
  static std::vector<TimelineTrack> tracks();

  // Reads each interval once.
  class Reader {
   public:
    // The intervals added since the last call, or since the start of the recording.
    std::vector<TimelineTrack> read();

   private:
    std::map<int, std::int64_t> read_;  // per track, how many were added before
    int generation_ = 0;
  };

 private:
  static std::atomic<int> recordings_, generation_;
};

namespace detail {

// NVTX ranges of the calling thread; nothing in a build without CUDA.
void push_profiler_range(const char* name);
void pop_profiler_range();

}  // namespace detail

}  // namespace perturb
