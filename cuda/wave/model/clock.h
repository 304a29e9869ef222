// The tank's time. It is counted from an anchor in whole time steps, so that it does not depend on the groups in which
// steps were taken. The anchor moves when the time step changes.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/simulation/state.h"

namespace perturb::wave {

struct Clock {
  std::int64_t anchor_step = 0;
  double anchor_time = 0;

  double time_at(std::int64_t step, double time_step) const {
    return anchor_time + static_cast<double>(step - anchor_step) * time_step;
  }
  // "clock" [2]: step and time of the anchor; only where it has moved.
  void save_to(State& state) const {
    if (anchor_step != 0)
      state.put<double>("clock", {2}, "step, time", std::vector<double>{static_cast<double>(anchor_step), anchor_time});
  }
};

}  // namespace perturb::wave
