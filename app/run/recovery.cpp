#include "app/run/recovery.h"

#include <utility>
#include <variant>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/stability.h"

namespace perturb {

namespace {

// Steps shown in five seconds at the scene's own pace count as long. The effect of a stroke shows within one second.
constexpr std::int64_t min_good_frames = 300, min_frames_after_stroke = 60;
constexpr int default_steps_per_frame_of_scene = 16;

}  // namespace

void Recovery::stop(const Message& why, std::int64_t step) {
  stop_reason_ = why;
  stop_step_ = step;
  stop_time_ = run_.simulation->time();
}

void Recovery::clear() {
  stop_reason_ = {};
  remedy_.reset();
  has_sought_remedy_ = false;
}

std::int64_t Recovery::min_good_steps() const {
  const int own = run_.scene.steps_per_frame;
  return min_good_frames * (own > 0 ? own : default_steps_per_frame_of_scene);
}

// ---- the last good state

const Snapshot* Recovery::last_snapshot_before_stop(const LogPosition& here) const {
  // There is no event after this position in the segment, so any later step can be reached by steps alone.
  LogPosition position = here;
  position.step = stop_step_ - min_good_steps();
  return restorer_.find(position);
}

LogPosition Recovery::segment_start() const {
  return {log_.segment_number(), log_.segment().first_step, log_.segment().forgotten, 0};
}

std::size_t Recovery::recovery_step() const {
  return log_.find_recovery_step(min_good_steps(), min_good_steps() * min_frames_after_stroke / min_good_frames);
}

bool Recovery::can_restore_last_good(const LogPosition& here) const {
  return log_.has_undo_steps_since_opening() || last_snapshot_before_stop(here) || log_.segment().start.state;
}

LogPosition Recovery::revert_to_last_good(const LogPosition& here) {
  const std::size_t before = recovery_step();
  LogPosition position = here;
  while (log_.undo_steps().size() > before) position = log_.revert_last(position);
  log_.forget_undone();
  return position;
}

LogPosition Recovery::last_good_in_segment(const LogPosition& here) const {
  const Snapshot* kept = last_snapshot_before_stop(here);
  return kept ? kept->position : segment_start();
}

// ---- remedies

LogPosition Recovery::remedy_start(const LogPosition& here) const {
  if (!log_.has_undo_steps_since_opening()) return last_good_in_segment(here);
  const LogPosition start = segment_start();
  const LogPosition& before = log_.undo_steps()[recovery_step()].before;
  return before.segment == start.segment ? before : start;  // otherwise a restart came later
}

void Recovery::find_remedy(const LogPosition& here) {
  has_sought_remedy_ = true;
  if (!restorer_.has_room_for_copy()) return;
  const LogPosition start = remedy_start(here);
  const RunSegment& segment = log_.segment();
  const std::vector<Event> later(segment.events.begin() + static_cast<std::ptrdiff_t>(start.events - segment.forgotten),
                                 segment.events.end());
  const RemedyTrial trial{start.step, stop_step_, stop_time_, min_good_steps()};
  const auto works = [&](const Remedy& remedy, const std::vector<Event>& events) {
    try {
      Run copy = restorer_.copy_at(start);
      return stays_finite(copy, remedy, events, trial);
    } catch (const Error&) {
      return false;  // the change or a later one is not possible, or there is no memory
    }
  };
  std::vector<StabilityRemedy> named;
  if (const auto* source = run_.simulation->find<StabilityRemedies>()) named = source->remedies();
  for (const StabilityRemedy& one : named) {
    const Remedy remedy{one.parameter, one.value};
    if (!works(remedy, later)) continue;
    remedy_ = remedy;
    return;
  }
  const bool has_changes = log_.has_undo_steps_since_opening() && !(log_.undo_steps().back().log_begin() < start);
  if (has_changes && works({}, {})) remedy_ = Remedy{};
}

std::vector<Recovery::Changes> Recovery::revert_changes_since(const LogPosition& start, const Remedy& remedy,
                                                              const LogPosition& here) {
  std::vector<Changes> all;
  std::size_t end = log_.events();
  while (log_.can_undo() && !(log_.undo_steps().back().log_begin() < start)) {
    if (log_.undo_steps().back().later) {
      log_.forget_return();
      continue;
    }
    Changes changes{log_.undo_steps().back(), {}};
    const RunSegment& segment = log_.segment();
    for (std::size_t k = changes.undo_step.before.events; k < end; ++k) {
      const Event& event = segment.events[k - segment.forgotten];
      const auto* parameter = std::get_if<ParameterChange>(&event.change);
      if (changes_run(event) && event.origin.empty() && !(parameter && parameter->id == remedy.parameter))
        changes.events.push_back(event);
    }
    end = changes.undo_step.before.events;
    log_.revert_last(here);
    all.insert(all.begin(), std::move(changes));
  }
  log_.cut(start);
  return all;
}

}  // namespace perturb
