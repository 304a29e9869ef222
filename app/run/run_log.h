// The log of a run: its start and every change since, grouped into undo steps.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run/run.h"

namespace perturb {

// Part of the log from one restart to the next.
struct RunSegment {
  Start start;
  std::int64_t first_step = 0;
  // Events applied so far, in order, and one id per event, unique within the log even after undo.
  std::vector<Event> events;
  std::vector<std::uint64_t> ids;
  std::uint64_t id = 0;          // of the segment, unique in the same way
  std::uint64_t opening = 0;     // number of the opening of a scene or file that the segment belongs to
  std::size_t forgotten = 0;     // number of earlier events; `start` already contains their effect
  std::vector<Event> scheduled;  // from a script, sorted by step
};

// A position in the log: the state after the given numbers of steps and events of a segment.
struct LogPosition {
  std::size_t segment = 0;  // counted from the start of the log
  std::int64_t step = 0;
  std::size_t events = 0, scheduled = 0;  // number applied so far

  // Order in time.
  bool operator<(const LogPosition& other) const {
    if (segment != other.segment) return segment < other.segment;
    return step != other.step ? step < other.step : events < other.events;
  }
};

struct LaterLog;

// A user action that one undo removes: a stroke, a slider drag, a restart, a return to an earlier step.
struct UndoStep {
  Message label;  // "Wall", "Viscosity"
  LogPosition before;
  std::int64_t last_step = 0;  // step of its last event
  bool sets = false;           // it changed a parameter or kernel, or restarted; not only actions
  bool opens = false;          // it opened another scene or file
  // Of a return to an earlier step: what it removed from the log; the position `before` is later. Null: no return.
  std::shared_ptr<const LaterLog> later{};

  // Position in the log after which its events begin.
  const LogPosition& log_begin() const;
};

// The log of a segment after a step to which the user has returned.
struct LaterLog {
  LogPosition from;
  std::vector<Event> events;
  std::vector<std::uint64_t> ids;
  std::vector<UndoStep> undo_steps;
};

inline const LogPosition& UndoStep::log_begin() const { return later ? later->from : before; }

class RunLog {
 public:
  // Undo steps that are kept.
  static constexpr std::size_t max_undo_steps = 200;

  // Starts a new log and discards the old one.
  void begin(Start start, std::int64_t first_step);
  // Begins a segment: the run has been restarted.
  void begin_segment(Start start, std::int64_t first_step);
  // Begins a segment for another scene or file; an undo leads back to the previous one.
  void begin_opening(Start start, std::int64_t first_step);
  void schedule(std::vector<Event> events) { segments_.back().scheduled = std::move(events); }

  const RunSegment& segment() const { return segments_.back(); }
  // Whether this segment belongs to the scene or file that is open.
  bool is_of_this_opening(std::size_t number) const {
    return number >= first_segment_ && number <= segment_number() && segment(number).opening == segment().opening;
  }
  const RunSegment& segment(std::size_t number) const { return segments_[number - first_segment_]; }
  std::size_t segment_number() const { return first_segment_ + segments_.size() - 1; }
  // Id of the last event before this position: equal for two positions that follow the same events.
  std::uint64_t id_before(const LogPosition& position) const;
  // Whether the run passes through the state at `position`, whose last event has this `id`, on its way to `target`.
  bool leads_to(const LogPosition& position, std::uint64_t id, const LogPosition& target) const;

  // Begins an undo step with the next event. Discards what could be redone.
  void begin_undo_step(UndoStep undo_step);
  // Adds an applied event. `in_undo_step`: it extends the last undo step. A change of the view replaces the last event
  // if that is a change of the view at the same step.
  void add(const Event& event, bool in_undo_step);
  // Adds an event in the same way. A log that grows long is compacted: it then begins at the checkpoint, and the undo
  // steps after that remain.
  void record(const Event& event, bool in_undo_step);
  // Whether the log is half full and lacks a checkpoint from which it could begin. A checkpoint must lie between
  // events, where the state determines all later steps.
  bool needs_checkpoint(std::int64_t step) const;
  void set_checkpoint(const LogPosition& position, Start start) {
    checkpoint_ = std::move(start);
    checkpoint_position_ = position;
  }
  // Whether a step has been taken since the last event: later steps then depend on the state alone.
  bool is_between_events(std::int64_t step) const;
  // Call when undo or redo has moved the run to this position.
  void moved_to(const LogPosition& position) {
    if (position < checkpoint_position_) checkpoint_ = {};
  }
  const std::deque<UndoStep>& undo_steps() const { return undo_steps_; }

  // Number of events of the last segment so far, and the event after a position (null: none yet).
  std::size_t events() const { return segments_.back().forgotten + segments_.back().events.size(); }
  const Event* event_after(const LogPosition& position) const;
  // Id of the last event that changes the results of steps, or of the segment if there is none. It differs after every
  // such change, also by undo.
  std::uint64_t last_change() const;

  bool can_undo() const { return !undo_steps_.empty(); }
  // Whether anything was changed since the last scene or file was opened. A return to an earlier step changes nothing.
  bool has_undo_steps_since_opening() const;
  bool can_redo() const { return !undone_.empty(); }
  const UndoStep& next_redo() const { return undone_.back().undo_step; }
  // Removes the last undo step and all later events; `here`: position of the run. Returns the position before the undo
  // step.
  LogPosition revert_last(const LogPosition& here);
  // Index of the undo step before which the state was good: the newest one before which the parameters were unchanged
  // for `min_good_steps` steps and the last stroke was at least `min_steps_after_stroke` steps ago; otherwise the one
  // that comes closest. Ignores undo steps before the last opening of a scene, and returns to an earlier step: the
  // state before one is of another course.
  std::size_t find_recovery_step(std::int64_t min_good_steps, std::int64_t min_steps_after_stroke) const;
  // Where the edited kernel in use was chosen, and where its failure leads back to: before that choice, or before the
  // last change by the user that came after `min_good_steps` steps with it. None: a script chose it, and would do so
  // again.
  struct Edit {
    std::int64_t step;
    std::optional<LogPosition> before;
  };
  Edit find_edit(std::int64_t min_good_steps) const;
  // Puts the undo step that was removed last back. Returns the position of the run at its removal.
  LogPosition reapply_last();
  // Makes the last segment begin at this position, from `start`. Discards earlier events and their undo steps.
  void forget_before(const LogPosition& position, Start start);
  // Removes all events after this position of the last segment, and the returns that lead to later steps. No other undo
  // step may begin later.
  void cut(const LogPosition& position);
  void forget_undone() { undone_.clear(); }

  // ---- returns to an earlier step
  // The position after the last event of this step or an earlier one, in the last segment.
  LogPosition position_at(std::int64_t step) const;
  // Removes what comes after `position`, as an undo step; `here`: position of the run at the end of the log.
  void begin_return(const LogPosition& position, const LogPosition& here, const Message& label);
  // The position to which the last undo step has returned a run that is now at `step`; null: it was no return, or the
  // run has continued since.
  const LogPosition* fresh_return(std::int64_t step) const;
  // Id of the last change before the position that the last undo step, a return, has left; as last_change() there.
  std::uint64_t last_change_before_return() const;
  // Puts back what the last undo step, a return, has removed, and forgets that step. Returns the position before it.
  LogPosition take_back_return();
  // Forgets the last undo step, a return, and what it has removed.
  void forget_return() { undo_steps_.pop_back(); }

 private:
  struct Undone {
    UndoStep undo_step;
    LogPosition here;
    std::vector<Event> events;  // of the undo step's segment, from the undo step on
    std::vector<std::uint64_t> ids;
    std::vector<RunSegment> segments;  // those after that segment
  };

  RunSegment new_segment(Start start, std::int64_t first_step);
  // Removes the events and ids after this position of the last segment, and returns them.
  std::pair<std::vector<Event>, std::vector<std::uint64_t>> cut_events(const LogPosition& position);
  void put_back(const LaterLog& later);

  std::deque<RunSegment> segments_;
  std::uint64_t last_opening_ = 0;
  std::uint64_t last_id_ = 0;
  // number of segments_.front(): earlier ones, in which no undo step begins, are discarded
  std::size_t first_segment_ = 0;
  std::deque<UndoStep> undo_steps_;
  std::vector<Undone> undone_;
  LogPosition checkpoint_position_;  // where the log can begin after compaction
  Start checkpoint_;                 // its state is null: no checkpoint
};

}  // namespace perturb
