// The tank's discretisation: the grid, and the time.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/view.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/core/simulation/state.h"

namespace perturb::wave {

// Number and size of the cells, and periodic directions.
struct Grid {
  int width = 0, height = 0;  // cells
  double cell_size = 1;       // length
  bool periodic_x = false, periodic_y = false;

  bool operator==(const Grid&) const = default;
  Range2D whole() const { return {width, height}; }
  RepeatingGrid repeating() const { return {width, height, periodic_x, periodic_y}; }
  // The cell at a fraction of the domain; a position outside the domain gives a cell outside the grid, unless the side
  // repeats there.
  int column(double x) const { return repeating().column(cell_at(x * width)); }
  int row(double y) const { return repeating().row(cell_at(y * height)); }
};

// The tank's time. It is counted from an anchor in whole time steps, so that it does not depend on the groups in which
// steps were taken. The anchor moves when the time step changes.
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
