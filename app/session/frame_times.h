// Where the time of a frame went: the intervals of the window's thread, of the thread that computes and of the GPU,
// divided among the frames of the last seconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/timeline.h"

namespace perturb {

// A labelled loop in one frame, or on average.
struct LoopTime {
  std::string name;
  double launches = 0, seconds = 0;
};

struct FrameTime {
  std::int64_t begin = 0, end = 0;  // Timeline::now()
  // By TimeUse; together they are the frame. While the window's thread waits, the use is that of the thread for which
  // it waits.
  std::array<double, frame_uses> seconds{};
  double gpu_seconds = 0;  // of loops on GPUs that began in this frame
  std::vector<LoopTime> loops;
  double duration() const { return 1e-9 * static_cast<double>(end - begin); }
};

// Averages of several frames, per frame.
struct MeanFrameTime {
  std::size_t frames = 0;
  double duration = 0, gpu_seconds = 0;
  std::array<double, frame_uses> seconds{};
  std::vector<LoopTime> loops;  // longest first
};

// The frames of the last seconds. Other threads and GPUs report an interval when it has ended, which may be some frames
// later: it then goes to the frames in which it was.
class FrameTimes {
 public:
  static constexpr double kept_seconds = 5;

  // `tracks`: new intervals (Timeline::Reader). `window`: id of the track whose intervals of the kind `frame` are the
  // frames.
  void add(const std::vector<TimelineTrack>& tracks, int window);
  void clear() { *this = {}; }
  // Oldest first.
  const std::deque<FrameTime>& frames() const { return frames_; }
  // Of the frames that ended in the last `seconds` before the end of the newest.
  MeanFrameTime mean(double seconds) const;

 private:
  struct Wait {
    std::int64_t begin, end;
  };
  void finish_frame(const TimedInterval& frame);
  void add_loop(const TimedInterval& loop, bool is_gpu);
  // Takes what another thread did out of the waiting time of frame `index`.
  void replace_waiting(std::size_t index, const TimedInterval& work);

  std::deque<FrameTime> frames_;
  std::deque<std::vector<Wait>> waits_;   // of the window's thread, for each frame
  std::vector<TimedInterval> of_window_;  // of the current frame so far
  // Of the current frame: its end is not known yet.
  std::deque<TimedInterval> works_;
  std::deque<std::pair<TimedInterval, bool>> loops_;  // whether on a GPU
};

}  // namespace perturb
