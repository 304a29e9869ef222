// The conditions at the sides of a flow. Part of the text that is compiled while the program runs
// (kernels/edited_rows.h), so it includes nothing else.
#pragma once

namespace perturb::lbm {

// Boundary condition of a side of the domain. All walls are half a cell outside the outermost cells.
enum class Boundary {
  periodic,  // fluid that leaves enters on the opposite side, which must be periodic too
  wall,      // no slip (halfway bounce-back)
  moving,    // a wall that slides along itself at wall_speed (to the right, or upwards)
  inlet,     // fluid enters at inlet_speed (halfway bounce-back with the momentum of that velocity)
  outlet     // fluid leaves at a pressure that relaxes to that of density 1, or is fixed there
};

}  // namespace perturb::lbm
