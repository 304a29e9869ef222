// Readings up to a step from which the run has returned to an earlier one. When the return is undone, they come back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "app/run/run_status.h"

namespace perturb {

// The end of the past of a run: the last change before it has an id of its own, so the two name one state.
struct PastEnd {
  std::uint64_t change = 0;
  std::int64_t step = 0;
  bool operator==(const PastEnd&) const = default;
};
inline PastEnd past_end_of(const RunStatus& run) { return {run.last_step_change, run.last_step}; }

template <class Readings>
class KeptReadings {
 public:
  // Of the last returns: a copy can take some megabytes.
  static constexpr std::size_t max_kept = 8;

  // Whether those up to this end are the newest that are kept: the run is still on the way back from it.
  bool has_newest(const PastEnd& end) const { return !kept_.empty() && kept_.back().first == end; }
  void keep(const PastEnd& end, Readings readings) {
    std::erase_if(kept_, [&](const auto& one) { return one.first == end; });
    kept_.emplace_back(end, std::move(readings));
    if (kept_.size() > max_kept) kept_.pop_front();
  }
  // Null: there are none.
  const Readings* find(const PastEnd& end) const {
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == end; });
    return found == kept_.end() ? nullptr : &found->second;
  }

 private:
  std::deque<std::pair<PastEnd, Readings>> kept_;
};

}  // namespace perturb
