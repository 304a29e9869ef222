#include "cuda/core/backend/timeline.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "cuda/core/backend/backend.h"

namespace perturb {

std::atomic<int> Timeline::recordings_{0}, Timeline::generation_{0};

const char* name_of(TimeUse use) {
  constexpr const char* names[] = {"events",  "steps", "painting", "numbers", "panels", "swap",
                                   "waiting", "other", "frame",    "lane",    "loop"};
  return names[static_cast<std::size_t>(use)];
}

TimedInterval::TimedInterval(TimeUse used_for, const char* text, std::int64_t from, std::int64_t to)
    : use(used_for), begin(from), end(to) {
  std::strncpy(name.data(), text, name.size() - 1);
}

// The intervals of a track. One thread adds, others read.
class detail::TimeRing {
 public:
  TimeRing(int id, std::string name, bool is_gpu) : id_(id), is_gpu_(is_gpu), name_(std::move(name)) {}

  int id() const { return id_; }
  void add(const TimedInterval& interval) noexcept {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < Timeline::capacity) {
      try {
        kept_.push_back(interval);
      } catch (const std::bad_alloc&) {
        return;  // a measurement must not end the run
      }
    } else {
      kept_[static_cast<std::size_t>(added_) % Timeline::capacity] = interval;
    }
    ++added_;
  }
  void rename(const char* name) {
    const std::lock_guard lock(mutex_);
    name_ = name;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    kept_ = {};
    added_ = 0;
  }
  // Those after the first `after`, which then becomes the number of all.
  TimelineTrack read(std::int64_t& after) {
    const std::lock_guard lock(mutex_);
    TimelineTrack track{id_, name_, is_gpu_, 0, {}};
    const std::int64_t oldest = added_ - static_cast<std::int64_t>(kept_.size());
    track.omitted = std::max<std::int64_t>(0, oldest - after);
    for (std::int64_t k = std::max(after, oldest); k < added_; ++k)
      track.intervals.push_back(kept_[static_cast<std::size_t>(k) % Timeline::capacity]);
    after = added_;
    return track;
  }

 private:
  const int id_;
  const bool is_gpu_;
  std::mutex mutex_;
  std::string name_;
  std::vector<TimedInterval> kept_;
  std::int64_t added_ = 0;  // while fewer than the capacity: the size of kept_
};

namespace {

// Tracks of ended threads stay until the next recording begins.
struct TimeRings {
  std::mutex mutex;
  std::vector<std::shared_ptr<detail::TimeRing>> all;
  int last_id = 0;

  std::shared_ptr<detail::TimeRing> make(const std::string& name, bool is_gpu) {
    const std::lock_guard lock(mutex);
    return all.emplace_back(std::make_shared<detail::TimeRing>(++last_id, name, is_gpu));
  }
};
TimeRings& time_rings() {
  static TimeRings rings;
  return rings;
}

// The calling thread's track, once it has recorded something, and its name.
thread_local std::shared_ptr<detail::TimeRing> ring_of_thread;
thread_local const char* name_of_thread = "thread";

}  // namespace

std::int64_t Timeline::now() noexcept {
  using std::chrono::steady_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

Timeline::Recording::Recording() {
  TimeRings& rings = time_rings();
  const std::lock_guard lock(rings.mutex);
  if (recordings_ == 0) {
    std::erase_if(rings.all, [](const auto& ring) { return ring.use_count() == 1; });
    for (const auto& ring : rings.all) ring->clear();
    ++generation_;
  }
  ++recordings_;
}

Timeline::Recording::~Recording() { --recordings_; }

void Timeline::Scope::begin() noexcept {
  detail::push_profiler_range(name_);
  begin_ = now();
}

void Timeline::Scope::end() noexcept {
  add({use_, name_, begin_, now()});
  detail::pop_profiler_range();
}

Timeline::LoopScope::LoopScope(Backend& backend) : backend_(backend), before_(backend.stats().timing()) {
  if (is_recording()) backend_.stats().set_timing(true);
}

Timeline::LoopScope::~LoopScope() { backend_.stats().set_timing(before_); }

void Timeline::name_this_thread(const char* name) noexcept {
  name_of_thread = name;
  if (ring_of_thread) ring_of_thread->rename(name);
}

int Timeline::this_thread() noexcept { return ring_of_thread ? ring_of_thread->id() : 0; }

void Timeline::add(const TimedInterval& interval) noexcept {
  if (!is_recording()) return;
  try {
    if (!ring_of_thread) ring_of_thread = time_rings().make(name_of_thread, false);
  } catch (const std::bad_alloc&) {
    return;
  }
  ring_of_thread->add(interval);
}

Timeline::GpuTrack::GpuTrack(const std::string& name) : ring_(time_rings().make(name, true)) {}

void Timeline::GpuTrack::add(const TimedInterval& interval) noexcept { ring_->add(interval); }

std::vector<TimelineTrack> Timeline::tracks() { return Reader().read(); }

std::vector<TimelineTrack> Timeline::Reader::read() {
  std::vector<std::shared_ptr<detail::TimeRing>> rings;
  {
    const std::lock_guard lock(time_rings().mutex);
    rings = time_rings().all;
    if (generation_ != generation()) {
      read_.clear();
      generation_ = generation();
    }
  }
  std::vector<TimelineTrack> tracks;
  for (const auto& ring : rings) {
    TimelineTrack track = ring->read(read_[ring->id()]);
    if (!track.intervals.empty()) tracks.push_back(std::move(track));
  }
  return tracks;
}

}  // namespace perturb
