#include "app/run/run_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perturb {

namespace {

// Events of a leg: ten minutes of strokes without a pause.
constexpr std::size_t most_events = 40'000;

}  // namespace

Leg RunLog::new_leg(Start start, std::int64_t first_step) {
  Leg leg;
  leg.start = std::move(start), leg.first_step = first_step, leg.id = ++last_id_;
  leg.opening = legs_.empty() ? ++last_opening_ : legs_.back().opening;
  return leg;
}

std::uint64_t RunLog::id_before(const Place& place) const {
  const Leg& leg = this->leg(place.leg);
  return place.events == leg.forgotten ? leg.id : leg.ids[place.events - leg.forgotten - 1];
}

std::uint64_t RunLog::last_change() const {
  const Leg& leg = this->leg();
  for (std::size_t k = leg.events.size(); k-- > 0;)
    if (changes_run(leg.events[k])) return leg.ids[k];
  return leg.id;
}

const Event* RunLog::event_after(const Place& place) const {
  const Leg& leg = this->leg(place.leg);
  const std::size_t index = place.events - leg.forgotten;
  return index < leg.events.size() ? &leg.events[index] : nullptr;
}

bool RunLog::leads_to(const Place& place, std::uint64_t id, const Place& target) const {
  if (place.leg != target.leg || place.step > target.step || place.events > target.events) return false;
  if (place.events < leg(place.leg).forgotten || id_before(place) != id) return false;
  // No event that the target has seen came earlier than this place's step and was not seen by it.
  return place.events == target.events || place.step <= event_after(place)->step;
}

void RunLog::begin(Start start, std::int64_t first_step) {
  first_leg_ += legs_.size();
  legs_.clear(), deeds_.clear(), undone_.clear();
  new_start_ = {};
  legs_.push_back(new_leg(std::move(start), first_step));
}

void RunLog::begin_leg(Start start, std::int64_t first_step) {
  new_start_ = {};
  legs_.push_back(new_leg(std::move(start), first_step));
}

void RunLog::begin_opening(Start start, std::int64_t first_step) {
  begin_leg(std::move(start), first_step);
  legs_.back().opening = ++last_opening_;
}

void RunLog::open_deed(Deed deed) {
  undone_.clear();
  deed.last_step = deed.before.step;
  deeds_.push_back(std::move(deed));
  if (deeds_.size() > most_deeds) deeds_.pop_front();
  for (; first_leg_ < deeds_.front().before.leg; ++first_leg_) legs_.pop_front();
}

void RunLog::add(const Event& event, bool of_deed) {
  std::vector<Event>& events = legs_.back().events;
  const bool replaces =
      !changes_run(event) && !events.empty() && !changes_run(events.back()) && events.back().step == event.step;
  if (replaces)
    events.back() = event;
  else
    events.push_back(event), legs_.back().ids.push_back(++last_id_);
  if (of_deed) deeds_.back().last_step = event.step;
}

void RunLog::record(const Event& event, bool of_deed) {
  add(event, of_deed);
  if (!new_start_.state || can_redo()) return;
  // At the latest when the log is full; before that, as soon as no deed from before the new
  // start could still be undone.
  const bool is_full = leg().events.size() >= most_events;
  if (is_full || !can_undo() || !(deeds_.front().before < new_start_place_))
    forget_before(new_start_place_, std::exchange(new_start_, {}));
}

bool RunLog::wants_start(std::int64_t step) const {
  return !new_start_.state && !can_redo() && leg().events.size() >= most_events / 2 && is_between_events(step);
}

bool RunLog::is_between_events(std::int64_t step) const {
  const std::vector<Event>& events = leg().events;
  const auto last = std::find_if(events.rbegin(), events.rend(), changes_run);
  return last == events.rend() || last->step < step;
}

Place RunLog::take_out(const Place& here) {
  Undone undone{deeds_.back(), here, {}, {}, {}};
  deeds_.pop_back();
  const Place& before = undone.deed.before;
  const auto later = legs_.begin() + static_cast<std::ptrdiff_t>(before.leg + 1 - first_leg_);
  undone.legs.assign(std::make_move_iterator(later), std::make_move_iterator(legs_.end()));
  legs_.erase(later, legs_.end());
  Leg& leg = legs_.back();
  const std::size_t kept = before.events - leg.forgotten;
  undone.events.assign(leg.events.begin() + static_cast<std::ptrdiff_t>(kept), leg.events.end());
  undone.ids.assign(leg.ids.begin() + static_cast<std::ptrdiff_t>(kept), leg.ids.end());
  leg.events.resize(kept), leg.ids.resize(kept);
  undone_.push_back(std::move(undone));
  return undone_.back().deed.before;
}

Place RunLog::put_back() {
  Undone undone = std::move(undone_.back());
  undone_.pop_back();
  // What has happened since then without anybody's doing, such as a script's events, is part of what is put back.
  Leg& leg = legs_.back();
  const std::size_t kept = undone.deed.before.events - leg.forgotten;
  leg.events.resize(kept), leg.ids.resize(kept);
  leg.events.insert(leg.events.end(), undone.events.begin(), undone.events.end());
  leg.ids.insert(leg.ids.end(), undone.ids.begin(), undone.ids.end());
  legs_.insert(legs_.end(), std::make_move_iterator(undone.legs.begin()), std::make_move_iterator(undone.legs.end()));
  deeds_.push_back(std::move(undone.deed));
  return undone.here;
}

void RunLog::forget_before(const Place& place, Start start) {
  while (!deeds_.empty() && deeds_.front().before < place) deeds_.pop_front();
  while (legs_.size() > 1) legs_.pop_front(), ++first_leg_;
  Leg& leg = legs_.back();
  const auto gone = static_cast<std::ptrdiff_t>(place.events - leg.forgotten);
  leg.id = id_before(place);
  leg.events.erase(leg.events.begin(), leg.events.begin() + gone);
  leg.ids.erase(leg.ids.begin(), leg.ids.begin() + gone);
  leg.forgotten = place.events, leg.first_step = place.step;
  leg.start = std::move(start);
}

void RunLog::cut(const Place& place) {
  const std::size_t kept = place.events - legs_.back().forgotten;
  legs_.back().events.resize(kept), legs_.back().ids.resize(kept);
  undone_.clear();
}

std::size_t RunLog::deed_to_go_back_before(std::int64_t long_run, std::int64_t stroke) const {
  std::size_t best = deeds_.size();
  std::int64_t best_lasted = -1;
  for (std::size_t k = deeds_.size(); k-- > 0 && !deeds_[k].opens;) {
    // For how long the parameters had been as they were before this deed, and how long ago the last stroke was.
    const Place& before = deeds_[k].before;
    std::int64_t set_at = leg(before.leg).first_step, done_at = set_at;
    for (std::size_t i = 0; i < k; ++i) {
      if (deeds_[i].before.leg != before.leg) continue;
      done_at = deeds_[i].last_step;
      if (deeds_[i].sets) set_at = done_at;
    }
    const std::int64_t lasted = std::min(before.step - set_at, (before.step - done_at) * (long_run / stroke));
    if (lasted >= long_run) return k;
    if (lasted > best_lasted) best = k, best_lasted = lasted;
  }
  return best;
}

}  // namespace perturb
