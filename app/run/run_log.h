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
struct Leg {
  Start start;
  std::int64_t first_step = 0;
  // What has happened, in its order, and an id of each event: no two of a log are alike, whatever is
  // taken out and done otherwise.
  std::vector<Event> events;
  std::vector<std::uint64_t> ids;
  std::uint64_t id = 0;          // of the leg itself, likewise
  std::uint64_t opening = 0;     // number of the opening of a scene or file that it follows
  std::size_t forgotten = 0;     // events before those: what they led to is the start
  std::vector<Event> scheduled;  // by a script, in the order of their steps
};

// A place in a run: the state after so many of a leg's steps and events.
struct Place {
  std::size_t leg = 0;  // counted from the beginning of the log
  std::int64_t step = 0;
  std::size_t events = 0, scheduled = 0;  // that have happened

  // In the order of a run.
  bool operator<(const Place& other) const {
    if (leg != other.leg) return leg < other.leg;
    return step != other.step ? step < other.step : events < other.events;
  }
};

// What a person does in one go: a stroke, a slider's way, a restart. One step of undo.
struct Deed {
  std::string what;  // "Wall", "Viscosity"
  Place before;
  std::int64_t last_step = 0;  // of its last event
  bool sets = false;           // it chose a parameter, a kernel or a restart, not only an action
  bool opens = false;          // it opened another scene or file
};

class RunLog {
 public:
  // As many deeds can be taken out.
  static constexpr std::size_t most_deeds = 200;

  // A new run; nothing from before is known any more.
  void begin(Start start, std::int64_t first_step);
  // Another leg: the run has started again.
  void begin_leg(Start start, std::int64_t first_step);
  // Another leg: another scene or file is open, and an undo leads back to the one before.
  void begin_opening(Start start, std::int64_t first_step);
  void schedule(std::vector<Event> events) { legs_.back().scheduled = std::move(events); }

  const Leg& leg() const { return legs_.back(); }
  // Whether this leg is of the scene or file that is open now.
  bool is_of_this_opening(std::size_t number) const {
    return number >= first_leg_ && number <= leg_number() && leg(number).opening == leg().opening;
  }
  const Leg& leg(std::size_t number) const { return legs_[number - first_leg_]; }
  std::size_t leg_number() const { return first_leg_ + legs_.size() - 1; }
  // What came last before this place: equal for two places with the same events before them.
  std::uint64_t id_before(const Place& place) const;
  // Whether a state of this place, with this before it, lies on the way to `target`.
  bool leads_to(const Place& place, std::uint64_t id, const Place& target) const;

  // The next event is the first of a deed. What had been taken out is forgotten.
  void open_deed(Deed deed);
  // Has happened. A deed's last step follows; a change of the view takes the place of one just before it.
  void add(const Event& event, bool of_deed);
  // The same. A log that grows long begins anew from the start that was noted, behind which deeds can still be undone.
  void record(const Event& event, bool of_deed);
  // Half full, it takes note of a state from which it can begin anew: between events, where a state is all there is.
  bool wants_start(std::int64_t step) const;
  void note_start(const Place& place, Start start) { new_start_ = std::move(start), new_start_place_ = place; }
  // Whether a step has been taken since the last event: a state is then all that the coming steps depend on.
  bool is_between_events(std::int64_t step) const;
  // The run has come to this place by undo or redo.
  void come_to(const Place& place) {
    if (place < new_start_place_) new_start_ = {};
  }
  const std::deque<Deed>& deeds() const { return deeds_; }

  // Events of the last leg up to now, and the one that comes after a place (null: none yet).
  std::size_t events() const { return legs_.back().forgotten + legs_.back().events.size(); }
  const Event* event_after(const Place& place) const;
  // Id of the last event that changes what the steps give, or of the leg: another one after another deed, also by undo.
  std::uint64_t last_change() const;

  bool can_undo() const { return !deeds_.empty(); }
  // Whether something was done since the last scene or file was opened.
  bool has_deeds_here() const { return !deeds_.empty() && !deeds_.back().opens; }
  bool can_redo() const { return !undone_.empty(); }
  const Deed& next_redo() const { return undone_.back().deed; }
  // Takes the last deed out, with all that came after it; `here`: where the run is. Returns the place before the deed.
  Place take_out(const Place& here);
  // The deed before which the state was good: the newest one before which the parameters had stood for `long_run` steps
  // and the last stroke lay `stroke` steps back; else the one that comes nearest to that. None from before the last
  // opening of a scene.
  std::size_t deed_to_go_back_before(std::int64_t long_run, std::int64_t stroke) const;
  // Puts back what was taken out last. Returns where the run was then.
  Place put_back();
  // The last leg begins here, from `start`; what lies before it is forgotten, and deeds from there cannot be undone.
  void forget_before(const Place& place, Start start);
  // Nothing after this place, which lies in the last leg, has happened; no deed began later.
  void cut(const Place& place);
  void forget_undone() { undone_.clear(); }

 private:
  struct Undone {
    Deed deed;
    Place here;
    std::vector<Event> events;  // of the deed's leg, from the deed on
    std::vector<std::uint64_t> ids;
    std::vector<Leg> legs;  // after that leg
  };

  Leg new_leg(Start start, std::int64_t first_step);

  std::deque<Leg> legs_;
  std::uint64_t last_opening_ = 0;
  std::uint64_t last_id_ = 0;
  std::size_t first_leg_ = 0;  // number of legs_.front(): those that no deed begins in are forgotten
  std::deque<Deed> deeds_;
  std::vector<Undone> undone_;
  Place new_start_place_;  // where the log may begin anew
  Start new_start_;        // its state null: nowhere yet
};

}  // namespace perturb
