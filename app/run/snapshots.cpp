#include "app/run/snapshots.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace perturb {

namespace {
bool is_before(const Snapshot& snapshot, const LogPosition& position) { return snapshot.position < position; }
}  // namespace

const Snapshot* Snapshots::add(Snapshot snapshot, std::size_t max_bytes) {
  max_bytes_ = max_bytes;
  bytes_ += snapshot.copy->bytes();
  if (bytes() > max_bytes) spare_.reset();
  const auto at = std::lower_bound(snapshots_.begin(), snapshots_.end(), snapshot.position, is_before);
  auto added = static_cast<std::size_t>(at - snapshots_.begin());
  snapshots_.insert(at, std::move(snapshot));
  while (bytes_ > max_bytes && snapshots_.size() > 1) {
    const std::size_t least = find_least_needed(added);
    remove(least);
    if (least < added) --added;
  }
  if (bytes_ > max_bytes) clear();
  return snapshots_.empty() ? nullptr : &snapshots_[added];
}

std::unique_ptr<StateCopy> Snapshots::take_spare(std::size_t max_bytes, const RunLog& log, const Snapshot* wanted) {
  if (spare_) return std::move(spare_);
  if (snapshots_.size() < 2 || bytes_ + snapshots_.back().copy->bytes() <= max_bytes) return nullptr;
  const std::size_t least = find_least_needed(snapshots_.size() - 1);
  if (&snapshots_[least] == wanted) return nullptr;
  const bool fits = log.is_of_this_opening(snapshots_[least].position.segment);
  std::unique_ptr<StateCopy> copy = remove(least);
  if (!fits) copy.reset();
  return copy;
}

void Snapshots::keep_spare(std::unique_ptr<StateCopy> copy) {
  spare_.reset();
  if (bytes_ + copy->bytes() <= max_bytes_) spare_ = std::move(copy);
}

std::size_t Snapshots::find_least_needed(std::size_t added) const {
  // Removes the snapshot that leaves the smallest gap, that is, the fewest additional steps to replay. Keeps the newest
  // one, which is needed first.
  std::size_t least = added > 0 ? added - 1 : snapshots_.size() - 1;
  std::int64_t least_gap = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k + 1 < snapshots_.size(); ++k) {
    if (k == added || k + 1 == added) continue;
    const bool first = k == 0 || snapshots_[k - 1].position.segment != snapshots_[k].position.segment;
    const std::int64_t from = first ? 0 : snapshots_[k - 1].position.step;
    const bool last = snapshots_[k + 1].position.segment != snapshots_[k].position.segment;
    const std::int64_t to = last ? snapshots_[k].position.step : snapshots_[k + 1].position.step;
    if (to - from < least_gap) least = k, least_gap = to - from;
  }
  return least;
}

std::unique_ptr<StateCopy> Snapshots::remove(std::size_t index) {
  std::unique_ptr<StateCopy> copy = std::move(snapshots_[index].copy);
  bytes_ -= copy->bytes();
  snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(index));
  return copy;
}

const Snapshot* Snapshots::find(const RunLog& log, const LogPosition& position) const {
  for (std::size_t k = snapshots_.size(); k-- > 0;)
    if (log.leads_to(snapshots_[k].position, snapshots_[k].id, position)) return &snapshots_[k];
  return nullptr;
}

void Snapshots::drop_after(const LogPosition& position) {
  while (!snapshots_.empty() && position < snapshots_.back().position) {
    const bool fits =
        snapshots_.back().position.segment == position.segment;  // a later segment may belong to another simulation
    std::unique_ptr<StateCopy> copy = remove(snapshots_.size() - 1);
    if (fits) keep_spare(std::move(copy));
  }
}

}  // namespace perturb
