#include "app/run/snapshots.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace perturb {

namespace {
bool is_before(const Snapshot& snapshot, const Place& place) { return snapshot.place < place; }
}  // namespace

void Snapshots::add(Snapshot snapshot, std::size_t most_bytes) {
  bytes_ += snapshot.moment->bytes();
  const auto at = std::lower_bound(kept_.begin(), kept_.end(), snapshot.place, is_before);
  kept_.insert(at, std::move(snapshot));
  while (bytes_ > most_bytes && !kept_.empty()) give_up_one();
}

void Snapshots::give_up_one() {
  // Without it the next one is reached from the one before: the fewest steps more. The newest is what is wanted first.
  std::size_t least = 0;
  std::int64_t least_gap = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k + 1 < kept_.size(); ++k) {
    const bool first = k == 0 || kept_[k - 1].place.leg != kept_[k].place.leg;
    const std::int64_t from = first ? 0 : kept_[k - 1].place.step;
    const bool last = kept_[k + 1].place.leg != kept_[k].place.leg;
    const std::int64_t to = last ? kept_[k].place.step : kept_[k + 1].place.step;
    if (to - from < least_gap) least = k, least_gap = to - from;
  }
  bytes_ -= kept_[least].moment->bytes();
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(least));
}

const Snapshot* Snapshots::find(const RunLog& log, const Place& place) const {
  for (std::size_t k = kept_.size(); k-- > 0;)
    if (log.leads_to(kept_[k].place, kept_[k].id, place)) return &kept_[k];
  return nullptr;
}

void Snapshots::drop_after(const Place& place) {
  while (!kept_.empty() && place < kept_.back().place) {
    bytes_ -= kept_.back().moment->bytes();
    kept_.pop_back();
  }
}

}  // namespace perturb
