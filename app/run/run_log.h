// What a run began with and what was done to it since, deed by deed, so that deeds can be taken out and put back.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/run/run.h"

namespace perturb {

// The part of a run from a start to the next restart.
struct RunSegment {
  Start start;
  std::int64_t first_step = 0;
  // What has happened, in its order, and an id of each event: no two of a log are alike, whatever is
  // taken out and done otherwise.
  std::vector<Event> events;
  std::vector<std::uint64_t> ids;
  std::uint64_t id = 0;          // of the segment itself, likewise
  std::uint64_t opening = 0;     // number of the opening of a scene or file that it follows
  std::size_t forgotten = 0;     // events before those: what they led to is the start
  std::vector<Event> scheduled;  // by a script, in the order of their steps
};

// A place in a run: the state after so many of a segment's steps and events.
struct LogPosition {
  std::size_t segment = 0;  // counted from the beginning of the log
  std::int64_t step = 0;
  std::size_t events = 0, scheduled = 0;  // that have happened

  // In the order of a run.
  bool operator<(const LogPosition& other) const {
    if (segment != other.segment) return segment < other.segment;
    return step != other.step ? step < other.step : events < other.events;
  }
};

// What a person does in one go: a stroke, a slider's way, a restart. One step of undo.
struct UndoStep {
  std::string label;  // "Wall", "Viscosity"
  LogPosition before;
  std::int64_t last_step = 0;  // of its last event
  bool sets = false;           // it chose a parameter, a kernel or a restart, not only an action
  bool opens = false;          // it opened another scene or file
};

class RunLog {
 public:
  // As many deeds can be taken out.
  static constexpr std::size_t max_undo_steps = 200;

  // A new run; nothing from before is known any more.
  void begin(Start start, std::int64_t first_step);
  // Another segment: the run has started again.
  void begin_segment(Start start, std::int64_t first_step);
  // Another segment: another scene or file is open, and an undo leads back to the one before.
  void begin_opening(Start start, std::int64_t first_step);
  void schedule(std::vector<Event> events) { segments_.back().scheduled = std::move(events); }

  const RunSegment& segment() const { return segments_.back(); }
  // Whether this segment is of the scene or file that is open now.
  bool is_of_this_opening(std::size_t number) const {
    return number >= first_segment_ && number <= segment_number() && segment(number).opening == segment().opening;
  }
  const RunSegment& segment(std::size_t number) const { return segments_[number - first_segment_]; }
  std::size_t segment_number() const { return first_segment_ + segments_.size() - 1; }
  // What came last before this place: equal for two places with the same events before them.
  std::uint64_t id_before(const LogPosition& position) const;
  // Whether a state of this place, with this before it, lies on the way to `target`.
  bool leads_to(const LogPosition& position, std::uint64_t id, const LogPosition& target) const;

  // The next event is the first of a deed. What had been taken out is forgotten.
  void begin_undo_step(UndoStep undo_step);
  // Has happened. A deed's last step follows; a change of the view takes the place of one just before it.
  void add(const Event& event, bool in_undo_step);
  // The same. A log that grows long begins anew from the start that was noted, behind which deeds can still be undone.
  void record(const Event& event, bool in_undo_step);
  // Half full, it takes note of a state from which it can begin anew: between events, where a state is all there is.
  bool needs_checkpoint(std::int64_t step) const;
  void set_checkpoint(const LogPosition& position, Start start) {
    checkpoint_ = std::move(start), checkpoint_position_ = position;
  }
  // Whether a step has been taken since the last event: a state is then all that the coming steps depend on.
  bool is_between_events(std::int64_t step) const;
  // The run has come to this place by undo or redo.
  void moved_to(const LogPosition& position) {
    if (position < checkpoint_position_) checkpoint_ = {};
  }
  const std::deque<UndoStep>& undo_steps() const { return undo_steps_; }

  // Events of the last segment up to now, and the one that comes after a place (null: none yet).
  std::size_t events() const { return segments_.back().forgotten + segments_.back().events.size(); }
  const Event* event_after(const LogPosition& position) const;
  // Id of the last event that changes what the steps give, or of the segment: another one after another deed, also by
  // undo.
  std::uint64_t last_change() const;

  bool can_undo() const { return !undo_steps_.empty(); }
  // Whether something was done since the last scene or file was opened.
  bool has_undo_steps_since_opening() const { return !undo_steps_.empty() && !undo_steps_.back().opens; }
  bool can_redo() const { return !undone_.empty(); }
  const UndoStep& next_redo() const { return undone_.back().undo_step; }
  // Takes the last deed out, with all that came after it; `here`: where the run is. Returns the place before the deed.
  LogPosition revert_last(const LogPosition& here);
  // The deed before which the state was good: the newest one before which the parameters had stood for `min_good_steps`
  // steps and the last stroke lay `min_steps_after_stroke` steps back; else the one that comes nearest to that. None
  // from before the last opening of a scene.
  std::size_t find_recovery_step(std::int64_t min_good_steps, std::int64_t min_steps_after_stroke) const;
  // Puts back what was taken out last. Returns where the run was then.
  LogPosition reapply_last();
  // The last segment begins here, from `start`; what lies before it is forgotten, and deeds from there cannot be
  // undone.
  void forget_before(const LogPosition& position, Start start);
  // Nothing after this place, which lies in the last segment, has happened; no deed began later.
  void cut(const LogPosition& position);
  void forget_undone() { undone_.clear(); }

 private:
  struct Undone {
    UndoStep undo_step;
    LogPosition here;
    std::vector<Event> events;  // of the deed's segment, from the deed on
    std::vector<std::uint64_t> ids;
    std::vector<RunSegment> segments;  // after that segment
  };

  RunSegment new_segment(Start start, std::int64_t first_step);

  std::deque<RunSegment> segments_;
  std::uint64_t last_opening_ = 0;
  std::uint64_t last_id_ = 0;
  std::size_t first_segment_ = 0;  // number of segments_.front(): those that no deed begins in are forgotten
  std::deque<UndoStep> undo_steps_;
  std::vector<Undone> undone_;
  LogPosition checkpoint_position_;  // where the log may begin anew
  Start checkpoint_;                 // its state null: nowhere yet
};

}  // namespace perturb
