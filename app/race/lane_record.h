// How far the lanes of a race by time were at each step of the first one. Measured times never repeat exactly; a replay
// follows the record instead, so undo and the past show what was there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/race/lane.h"

namespace perturb {

class LaneRecord {
 public:
  // Steps of each computing lane, in order; those of the first are the steps of the race.
  using Steps = std::array<std::int64_t, max_lanes>;

  // Adds the lanes' steps, unless the record already reaches this step of the first lane.
  void add(const Steps& steps);
  // The lanes' steps when the first lane was at `step`, interpolated between two entries; null: not recorded.
  std::optional<Steps> at(std::int64_t step) const;
  // The step of the first lane in the first entry after `step`; `step` itself if there is none.
  std::int64_t next_after(std::int64_t step) const;
  // Forgets what came after this step: the run takes another course from there.
  void cut(std::int64_t step);

 private:
  std::vector<Steps> entries_;  // by steps of the first lane
};

}  // namespace perturb
