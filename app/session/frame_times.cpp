#include "app/session/frame_times.h"

#include <algorithm>
#include <utility>

namespace perturb {

namespace {

// Intervals kept for a frame that has not ended: without a window none ever does.
constexpr std::size_t max_waiting = 65536;

bool is_detail(TimeUse use) { return use == TimeUse::lane || use == TimeUse::loop; }
double seconds_of(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

void add_to(std::vector<LoopTime>& loops, const char* name, double launches, double seconds) {
  auto found = std::find_if(loops.begin(), loops.end(), [name](const LoopTime& loop) { return loop.name == name; });
  if (found == loops.end()) found = loops.insert(found, LoopTime{name});
  found->launches += launches;
  found->seconds += seconds;
}

}  // namespace

void FrameTimes::add(const std::vector<TimelineTrack>& tracks, int window) {
  for (const TimelineTrack& track : tracks) {
    if (track.id != window) continue;
    for (const TimedInterval& interval : track.intervals) {
      if (interval.use == TimeUse::frame)
        finish_frame(interval);
      else if (interval.use == TimeUse::loop)
        add_loop(interval, false);
      else if (!is_detail(interval.use))
        of_window_.push_back(interval);
    }
  }
  for (const TimelineTrack& track : tracks) {
    if (track.id == window) continue;
    for (const TimedInterval& interval : track.intervals) {
      if (interval.use == TimeUse::loop) {
        add_loop(interval, track.is_gpu);
      } else if (!is_detail(interval.use) && interval.use != TimeUse::frame) {
        for (std::size_t k = frames_.size(); k-- > 0 && frames_[k].end > interval.begin;) replace_waiting(k, interval);
        works_.push_back(interval);
      }
    }
  }
  if (of_window_.size() > max_waiting) of_window_.clear();
  while (works_.size() > max_waiting) works_.pop_front();
  while (loops_.size() > max_waiting) loops_.pop_front();
}

void FrameTimes::finish_frame(const TimedInterval& interval) {
  std::vector<TimedInterval> parts = std::exchange(of_window_, {});
  std::erase_if(parts,
                [&](const TimedInterval& part) { return part.begin < interval.begin || part.end > interval.end; });
  // Outer before inner ones; of two equal ones the inner ended first.
  std::reverse(parts.begin(), parts.end());
  std::stable_sort(parts.begin(), parts.end(), [](const TimedInterval& a, const TimedInterval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  FrameTime frame;
  frame.begin = interval.begin;
  frame.end = interval.end;
  std::vector<Wait> waits;
  std::vector<const TimedInterval*> around;  // the intervals that contain the current one
  const auto use_of = [](const TimedInterval& part) {
    return static_cast<std::size_t>(part.use == TimeUse::frame ? TimeUse::other : part.use);
  };
  frame.seconds[static_cast<std::size_t>(TimeUse::other)] = frame.duration();
  for (const TimedInterval& part : parts) {
    while (!around.empty() && around.back()->end <= part.begin) around.pop_back();
    const TimedInterval& outer = around.empty() ? interval : *around.back();
    frame.seconds[use_of(outer)] -= part.seconds();
    frame.seconds[use_of(part)] += part.seconds();
    if (part.use == TimeUse::waiting) waits.push_back({part.begin, part.end});
    around.push_back(&part);
  }
  frames_.push_back(std::move(frame));
  waits_.push_back(std::move(waits));
  const std::size_t newest = frames_.size() - 1;
  for (const TimedInterval& work : works_) replace_waiting(newest, work);
  std::erase_if(works_, [&](const TimedInterval& work) { return work.end <= interval.end; });
  for (auto [loop, is_gpu] : std::exchange(loops_, {})) add_loop(loop, is_gpu);
  while (seconds_of(interval.end - frames_.front().end) > kept_seconds) {
    frames_.pop_front();
    waits_.pop_front();
  }
}

void FrameTimes::add_loop(const TimedInterval& loop, bool is_gpu) {
  if (frames_.empty() || loop.begin >= frames_.back().end) {
    loops_.emplace_back(loop, is_gpu);
    return;
  }
  for (std::size_t k = frames_.size(); k-- > 0 && loop.begin < frames_[k].end;) {
    FrameTime& frame = frames_[k];
    if (loop.begin < frame.begin) continue;
    if (is_gpu) frame.gpu_seconds += loop.seconds();
    add_to(frame.loops, loop.name.data(), 1, loop.seconds());
    return;
  }
}

void FrameTimes::replace_waiting(std::size_t index, const TimedInterval& work) {
  FrameTime& frame = frames_[index];
  for (const Wait& wait : waits_[index]) {
    const std::int64_t shared = std::min(wait.end, work.end) - std::max(wait.begin, work.begin);
    if (shared <= 0) continue;
    frame.seconds[static_cast<std::size_t>(TimeUse::waiting)] -= seconds_of(shared);
    frame.seconds[static_cast<std::size_t>(work.use)] += seconds_of(shared);
  }
}

MeanFrameTime FrameTimes::mean(double seconds) const {
  MeanFrameTime mean;
  for (std::size_t k = frames_.size(); k-- > 0;) {
    const FrameTime& frame = frames_[k];
    if (mean.frames > 0 && seconds_of(frames_.back().end - frame.end) > seconds) break;
    ++mean.frames;
    mean.duration += frame.duration();
    mean.gpu_seconds += frame.gpu_seconds;
    for (std::size_t use = 0; use < frame_uses; ++use) mean.seconds[use] += frame.seconds[use];
    for (const LoopTime& loop : frame.loops) add_to(mean.loops, loop.name.c_str(), loop.launches, loop.seconds);
  }
  if (mean.frames == 0) return mean;
  const auto count = static_cast<double>(mean.frames);
  mean.duration /= count;
  mean.gpu_seconds /= count;
  for (double& value : mean.seconds) value /= count;
  for (LoopTime& loop : mean.loops) {
    loop.launches /= count;
    loop.seconds /= count;
  }
  std::sort(mean.loops.begin(), mean.loops.end(),
            [](const LoopTime& a, const LoopTime& b) { return a.seconds > b.seconds; });
  return mean;
}

}  // namespace perturb
