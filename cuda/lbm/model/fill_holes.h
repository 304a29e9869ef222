// Holes of one cell in walls.
#pragma once

#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Number of cells that walls leave to the fluid, number of wall cells, and number of holes that were filled.
struct WallSums {
  std::int64_t fluid = 0, solid = 0, filled = 0;
  PERTURB_HD void merge(const WallSums& o) {
    fluid += o.fluid;
    solid += o.solid;
    filled += o.filled;
  }
};
// Fills one-cell holes in walls that have been drawn, and counts the cells. A hole is a fluid cell with all eight links
// blocked. The order of cells does not matter: two cells without a link between them do not read each other, so only
// the hole itself reads its cell; filling it blocks no further link and creates no further hole. (Its four neighbours
// are walls, so the diagonal ones already have their links to it blocked.)
struct FillHoles {
  StepParams params;  // for the sides
  View2D<std::uint8_t> wall;
  PERTURB_HD void operator()(int i, int j, WallSums& into) const {
    if (wall(i, j) == 0) {
      if (boundary_links_of(params, wall, i, j) != all_links) {
        into.fluid += 1;
        return;
      }
      wall(i, j) = 1;
      into.filled += 1;
    }
    into.solid += 1;
  }
};

}  // namespace perturb::lbm
