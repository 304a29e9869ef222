#include "app/race/lane_record.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace perturb {

namespace {

// Half an hour at 60 frames per second, 4 MB. A longer record keeps every second entry of its older half: only returns
// that lead far back, and to which no snapshot leads, then interpolate.
constexpr std::size_t max_entries = 1 << 17;

bool begins_before(const LaneRecord::Steps& entry, std::int64_t step) { return entry[0] < step; }
bool begins_after(std::int64_t step, const LaneRecord::Steps& entry) { return step < entry[0]; }

}  // namespace

void LaneRecord::add(const Steps& steps) {
  if (!entries_.empty() && entries_.back()[0] >= steps[0]) return;
  entries_.push_back(steps);
  if (entries_.size() <= max_entries) return;
  std::vector<Steps> fewer;
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (k >= max_entries / 2 || k % 2 == 0) fewer.push_back(entries_[k]);
  entries_ = std::move(fewer);
}

std::optional<LaneRecord::Steps> LaneRecord::at(std::int64_t step) const {
  const auto next = std::lower_bound(entries_.begin(), entries_.end(), step, begins_before);
  if (next == entries_.end()) return {};
  if ((*next)[0] == step) return *next;
  if (next == entries_.begin()) return {};
  const Steps& before = *(next - 1);
  const double share = static_cast<double>(step - before[0]) / static_cast<double>((*next)[0] - before[0]);
  Steps between = before;
  for (std::size_t k = 0; k < between.size(); ++k)
    between[k] += static_cast<std::int64_t>(share * static_cast<double>((*next)[k] - before[k]));
  between[0] = step;
  return between;
}

std::int64_t LaneRecord::next_after(std::int64_t step) const {
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), step, begins_after);
  return next == entries_.end() ? step : (*next)[0];
}

void LaneRecord::cut(std::int64_t step) {
  entries_.erase(std::upper_bound(entries_.begin(), entries_.end(), step, begins_after), entries_.end());
}

}  // namespace perturb
