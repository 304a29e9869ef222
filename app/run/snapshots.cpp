#include "app/run/snapshots.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace perturb {

namespace {
bool is_before(const Snapshot& snapshot, const Place& place) { return snapshot.place < place; }
}  // namespace

const Snapshot* Snapshots::add(Snapshot snapshot, std::size_t most_bytes) {
  most_bytes_ = most_bytes;
  bytes_ += snapshot.moment->bytes();
  if (bytes() > most_bytes) spare_.reset();
  const auto at = std::lower_bound(kept_.begin(), kept_.end(), snapshot.place, is_before);
  auto added = static_cast<std::size_t>(at - kept_.begin());
  kept_.insert(at, std::move(snapshot));
  while (bytes_ > most_bytes && kept_.size() > 1) {
    const std::size_t least = least_needed(added);
    take_out(least);
    if (least < added) --added;
  }
  if (bytes_ > most_bytes) clear();
  return kept_.empty() ? nullptr : &kept_[added];
}

std::unique_ptr<Moment> Snapshots::spare(std::size_t most_bytes, const RunLog& log, const Snapshot* wanted) {
  if (spare_) return std::move(spare_);
  if (kept_.size() < 2 || bytes_ + kept_.back().moment->bytes() <= most_bytes) return nullptr;
  const std::size_t least = least_needed(kept_.size() - 1);
  if (&kept_[least] == wanted) return nullptr;
  const bool fits = log.is_of_this_opening(kept_[least].place.leg);
  std::unique_ptr<Moment> moment = take_out(least);
  if (!fits) moment.reset();
  return moment;
}

void Snapshots::lay_aside(std::unique_ptr<Moment> moment) {
  spare_.reset();
  if (bytes_ + moment->bytes() <= most_bytes_) spare_ = std::move(moment);
}

std::size_t Snapshots::least_needed(std::size_t added) const {
  // Without it the next one is reached from the one before: the fewest steps more. The newest is what is wanted first.
  std::size_t least = added > 0 ? added - 1 : kept_.size() - 1;
  std::int64_t least_gap = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k + 1 < kept_.size(); ++k) {
    if (k == added || k + 1 == added) continue;
    const bool first = k == 0 || kept_[k - 1].place.leg != kept_[k].place.leg;
    const std::int64_t from = first ? 0 : kept_[k - 1].place.step;
    const bool last = kept_[k + 1].place.leg != kept_[k].place.leg;
    const std::int64_t to = last ? kept_[k].place.step : kept_[k + 1].place.step;
    if (to - from < least_gap) least = k, least_gap = to - from;
  }
  return least;
}

std::unique_ptr<Moment> Snapshots::take_out(std::size_t index) {
  std::unique_ptr<Moment> moment = std::move(kept_[index].moment);
  bytes_ -= moment->bytes();
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(index));
  return moment;
}

const Snapshot* Snapshots::find(const RunLog& log, const Place& place) const {
  for (std::size_t k = kept_.size(); k-- > 0;)
    if (log.leads_to(kept_[k].place, kept_[k].id, place)) return &kept_[k];
  return nullptr;
}

void Snapshots::drop_after(const Place& place) {
  while (!kept_.empty() && place < kept_.back().place) {
    const bool fits = kept_.back().place.leg == place.leg;  // a later leg may be of another simulation
    std::unique_ptr<Moment> moment = take_out(kept_.size() - 1);
    if (fits) lay_aside(std::move(moment));
  }
}

}  // namespace perturb
