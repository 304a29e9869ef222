#include "app/run/run_log.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace perturb {

namespace {

// Limit on the events of a segment: ten minutes of continuous strokes.
constexpr std::size_t max_events = 40'000;

std::size_t kept_undo_steps(const LaterLog& later) {
  std::size_t sum = later.undo_steps.size();
  for (const UndoStep& step : later.undo_steps)
    if (step.later) sum += kept_undo_steps(*step.later);
  return sum;
}

}  // namespace

RunSegment RunLog::new_segment(Start start, std::int64_t first_step) {
  RunSegment segment;
  segment.start = std::move(start);
  segment.first_step = first_step;
  segment.id = ++last_id_;
  segment.opening = segments_.empty() ? ++last_opening_ : segments_.back().opening;
  return segment;
}

std::uint64_t RunLog::id_before(const LogPosition& position) const {
  const RunSegment& segment = this->segment(position.segment);
  return position.events == segment.forgotten ? segment.id : segment.ids[position.events - segment.forgotten - 1];
}

std::uint64_t RunLog::last_change() const {
  const RunSegment& segment = this->segment();
  for (std::size_t k = segment.events.size(); k-- > 0;)
    if (changes_run(segment.events[k])) return segment.ids[k];
  return segment.id;
}

const Event* RunLog::event_after(const LogPosition& position) const {
  const RunSegment& segment = this->segment(position.segment);
  const std::size_t index = position.events - segment.forgotten;
  return index < segment.events.size() ? &segment.events[index] : nullptr;
}

bool RunLog::leads_to(const LogPosition& position, std::uint64_t id, const LogPosition& target) const {
  if (position.segment != target.segment || position.step > target.step || position.events > target.events)
    return false;
  if (position.events < segment(position.segment).forgotten || id_before(position) != id) return false;
  // No event of the target that is missing at this position happens before the position's step.
  return position.events == target.events || position.step <= event_after(position)->step;
}

void RunLog::begin(Start start, std::int64_t first_step) {
  first_segment_ += segments_.size();
  segments_.clear();
  undo_steps_.clear();
  undone_.clear();
  checkpoint_ = {};
  segments_.push_back(new_segment(std::move(start), first_step));
}

void RunLog::begin_segment(Start start, std::int64_t first_step) {
  checkpoint_ = {};
  segments_.push_back(new_segment(std::move(start), first_step));
}

void RunLog::begin_opening(Start start, std::int64_t first_step) {
  begin_segment(std::move(start), first_step);
  segments_.back().opening = ++last_opening_;
}

void RunLog::begin_undo_step(UndoStep undo_step) {
  undone_.clear();
  undo_step.last_step = undo_step.before.step;
  undo_steps_.push_back(std::move(undo_step));
  if (undo_steps_.size() > max_undo_steps) undo_steps_.pop_front();
  for (; first_segment_ < undo_steps_.front().before.segment; ++first_segment_) segments_.pop_front();
}

void RunLog::add(const Event& event, bool in_undo_step) {
  std::vector<Event>& events = segments_.back().events;
  const bool replaces =
      !changes_run(event) && !events.empty() && !changes_run(events.back()) && events.back().step == event.step;
  if (replaces) {
    events.back() = event;
  } else {
    events.push_back(event);
    segments_.back().ids.push_back(++last_id_);
  }
  // A gesture may be longer than the log: compaction has then forgotten its undo step.
  if (in_undo_step && can_undo()) undo_steps_.back().last_step = event.step;
}

void RunLog::record(const Event& event, bool in_undo_step) {
  add(event, in_undo_step);
  if (!checkpoint_.state || can_redo()) return;
  // Compacts the log when it is full, or earlier, as soon as all undo steps begin after the new start.
  const bool is_full = segment().events.size() >= max_events;
  if (is_full || !can_undo() || !(undo_steps_.front().log_begin() < checkpoint_position_))
    forget_before(checkpoint_position_, std::exchange(checkpoint_, {}));
}

bool RunLog::needs_checkpoint(std::int64_t step) const {
  return !checkpoint_.state && !can_redo() && segment().events.size() >= max_events / 2 && is_between_events(step);
}

bool RunLog::is_between_events(std::int64_t step) const {
  const std::vector<Event>& events = segment().events;
  const auto last = std::find_if(events.rbegin(), events.rend(), changes_run);
  return last == events.rend() || last->step < step;
}

LogPosition RunLog::revert_last(const LogPosition& here) {
  Undone undone{undo_steps_.back(), here, {}, {}, {}};
  undo_steps_.pop_back();
  const LogPosition& begin = undone.undo_step.log_begin();
  const auto later = segments_.begin() + static_cast<std::ptrdiff_t>(begin.segment + 1 - first_segment_);
  undone.segments.assign(std::make_move_iterator(later), std::make_move_iterator(segments_.end()));
  segments_.erase(later, segments_.end());
  std::tie(undone.events, undone.ids) = cut_events(begin);
  if (undone.undo_step.later) put_back(*undone.undo_step.later);
  undone_.push_back(std::move(undone));
  return undone_.back().undo_step.before;
}

LogPosition RunLog::reapply_last() {
  Undone undone = std::move(undone_.back());
  undone_.pop_back();
  // Events logged since the undo that no user action caused, such as those of a script, are part of the reapplied undo
  // step.
  RunSegment& segment = segments_.back();
  cut_events(undone.undo_step.log_begin());
  if (const auto& later = undone.undo_step.later) {
    undo_steps_.resize(undo_steps_.size() - later->undo_steps.size());
    checkpoint_ = {};
  }
  segment.events.insert(segment.events.end(), undone.events.begin(), undone.events.end());
  segment.ids.insert(segment.ids.end(), undone.ids.begin(), undone.ids.end());
  segments_.insert(segments_.end(), std::make_move_iterator(undone.segments.begin()),
                   std::make_move_iterator(undone.segments.end()));
  undo_steps_.push_back(std::move(undone.undo_step));
  return undone.here;
}

void RunLog::forget_before(const LogPosition& position, Start start) {
  while (!undo_steps_.empty() && undo_steps_.front().log_begin() < position) undo_steps_.pop_front();
  while (segments_.size() > 1) {
    segments_.pop_front();
    ++first_segment_;
  }
  RunSegment& segment = segments_.back();
  const auto gone = static_cast<std::ptrdiff_t>(position.events - segment.forgotten);
  segment.id = id_before(position);
  segment.events.erase(segment.events.begin(), segment.events.begin() + gone);
  segment.ids.erase(segment.ids.begin(), segment.ids.begin() + gone);
  segment.forgotten = position.events;
  segment.first_step = position.step;
  segment.start = std::move(start);
}

std::pair<std::vector<Event>, std::vector<std::uint64_t>> RunLog::cut_events(const LogPosition& position) {
  RunSegment& segment = segments_.back();
  const auto kept = static_cast<std::ptrdiff_t>(position.events - segment.forgotten);
  std::pair<std::vector<Event>, std::vector<std::uint64_t>> removed{
      {segment.events.begin() + kept, segment.events.end()}, {segment.ids.begin() + kept, segment.ids.end()}};
  segment.events.resize(static_cast<std::size_t>(kept));
  segment.ids.resize(static_cast<std::size_t>(kept));
  return removed;
}

void RunLog::cut(const LogPosition& position) {
  while (can_undo() && undo_steps_.back().later && position < undo_steps_.back().log_begin()) undo_steps_.pop_back();
  cut_events(position);
  undone_.clear();
}

bool RunLog::has_undo_steps_since_opening() const {
  const auto changed =
      std::find_if(undo_steps_.rbegin(), undo_steps_.rend(), [](const UndoStep& step) { return !step.later; });
  return changed != undo_steps_.rend() && !changed->opens;
}

// ---- returns to an earlier step

LogPosition RunLog::position_at(std::int64_t step) const {
  const RunSegment& segment = this->segment();
  const auto is_later = [](std::int64_t at, const Event& event) { return at < event.step; };
  const auto next = std::upper_bound(segment.events.begin(), segment.events.end(), step, is_later);
  const auto scheduled = std::upper_bound(segment.scheduled.begin(), segment.scheduled.end(), step, is_later);
  return {segment_number(), step, segment.forgotten + static_cast<std::size_t>(next - segment.events.begin()),
          static_cast<std::size_t>(scheduled - segment.scheduled.begin())};
}

void RunLog::begin_return(const LogPosition& position, const LogPosition& here, const Message& label) {
  undone_.clear();
  checkpoint_ = {};
  LaterLog later{position, {}, {}, {}};
  std::tie(later.events, later.ids) = cut_events(position);
  const auto first = std::find_if(undo_steps_.begin(), undo_steps_.end(),
                                  [&](const UndoStep& step) { return !(step.log_begin() < position); });
  later.undo_steps.assign(std::make_move_iterator(first), std::make_move_iterator(undo_steps_.end()));
  undo_steps_.erase(first, undo_steps_.end());
  // A return may remove another one, with all that it keeps: bounds the memory of many.
  if (kept_undo_steps(later) > max_undo_steps)
    std::erase_if(later.undo_steps, [](const UndoStep& step) { return step.later != nullptr; });
  UndoStep step{label, here, position.step};
  step.later = std::make_shared<const LaterLog>(std::move(later));
  undo_steps_.push_back(std::move(step));
}

const LogPosition* RunLog::fresh_return(std::int64_t step) const {
  if (!can_undo() || !undo_steps_.back().later) return nullptr;
  const LogPosition& position = undo_steps_.back().later->from;
  if (position.segment != segment_number() || position.step != step) return nullptr;
  const std::vector<Event>& events = segment().events;
  const auto later = events.begin() + static_cast<std::ptrdiff_t>(position.events - segment().forgotten);
  return std::any_of(later, events.end(), changes_run) ? nullptr : &position;
}

std::uint64_t RunLog::last_change_before_return() const {
  const LaterLog& later = *undo_steps_.back().later;
  for (std::size_t k = later.events.size(); k-- > 0;)
    if (changes_run(later.events[k])) return later.ids[k];
  const RunSegment& segment = this->segment();
  for (std::size_t k = later.from.events - segment.forgotten; k-- > 0;)
    if (changes_run(segment.events[k])) return segment.ids[k];
  return segment.id;
}

LogPosition RunLog::take_back_return() {
  const UndoStep step = std::move(undo_steps_.back());
  undo_steps_.pop_back();
  cut_events(step.later->from);
  put_back(*step.later);
  return step.before;
}

void RunLog::put_back(const LaterLog& later) {
  RunSegment& segment = segments_.back();
  segment.events.insert(segment.events.end(), later.events.begin(), later.events.end());
  segment.ids.insert(segment.ids.end(), later.ids.begin(), later.ids.end());
  undo_steps_.insert(undo_steps_.end(), later.undo_steps.begin(), later.undo_steps.end());
  checkpoint_ = {};
}

std::size_t RunLog::find_recovery_step(std::int64_t min_good_steps, std::int64_t min_steps_after_stroke) const {
  std::size_t best = undo_steps_.size();
  std::int64_t best_lasted = -1;
  for (std::size_t k = undo_steps_.size(); k-- > 0 && !undo_steps_[k].opens;) {
    if (undo_steps_[k].later) continue;
    // Number of steps with unchanged parameters before this undo step, and number of steps since the last stroke.
    const LogPosition& before = undo_steps_[k].before;
    std::int64_t set_at = segment(before.segment).first_step, acted_at = set_at;
    for (std::size_t i = 0; i < k; ++i) {
      if (undo_steps_[i].before.segment != before.segment) continue;
      acted_at = undo_steps_[i].last_step;
      if (undo_steps_[i].sets) set_at = acted_at;
    }
    const std::int64_t lasted =
        std::min(before.step - set_at, (before.step - acted_at) * (min_good_steps / min_steps_after_stroke));
    if (lasted >= min_good_steps) return k;
    if (lasted > best_lasted) {
      best = k;
      best_lasted = lasted;
    }
  }
  return best;
}

RunLog::Edit RunLog::find_edit(std::int64_t min_good_steps) const {
  const RunSegment& segment = this->segment();
  const auto chosen = std::find_if(segment.events.rbegin(), segment.events.rend(), [](const Event& event) {
    return std::holds_alternative<ChooseKernel>(event.change);
  });
  Edit edit{segment.first_step, {}};
  if (chosen == segment.events.rend()) {
    edit.before = LogPosition{segment_number(), segment.first_step, segment.forgotten, 0};
  } else {
    edit.step = chosen->step;
    const auto index = static_cast<std::size_t>(segment.events.rend() - chosen) - 1 + segment.forgotten;
    for (const UndoStep& undo_step : undo_steps_)
      if (!undo_step.later && undo_step.before.segment == segment_number() && undo_step.before.events == index)
        edit.before = undo_step.before;
  }
  if (!edit.before) return edit;
  for (std::size_t k = undo_steps_.size(); k-- > 0 && *edit.before < undo_steps_[k].log_begin();)
    if (!undo_steps_[k].later && undo_steps_[k].before.step - edit.step >= min_good_steps) {
      edit.before = undo_steps_[k].before;
      break;
    }
  return edit;
}

}  // namespace perturb
