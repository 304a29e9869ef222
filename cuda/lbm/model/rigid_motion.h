// The motion of a body's walls, and the momentum that they give to the fluid.
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

// The density in the momentum term of a moving wall: with one density for all its links a closed body adds no mass.
constexpr float moving_density = 1.f;

// A translation, and a rotation about a centre.
struct RigidMotion {
  float ux = 0, uy = 0;       // cell/step
  float rotation = 0;         // angular velocity, counterclockwise; 1/step
  int i = 0, j = 0;           // the cell of the centre
  float x = 0, y = 0;         // the centre in this cell, 0 to 1
  int width = 0, height = 0;  // of the domain where its sides repeat, else 0

  PERTURB_HD bool moves() const { return ux != 0.f || uy != 0.f || rotation != 0.f; }
  // Number of cells from the centre's column or row to another, by the shorter way round a side that repeats.
  PERTURB_HD int columns_to(int column) const { return shorter(column - i, width); }
  PERTURB_HD int rows_to(int row) const { return shorter(row - j, height); }
  // Momentum term of link q of cell (a, b), which comes out of a wall with this motion: with the velocity where the
  // link crosses the outline. The terms of a closed body add no mass, since a rotation has no divergence.
  PERTURB_HD float momentum_term(const WallCurve& curve, int q, int a, int b) const {
    const float share = curve.share(q, a, b);
    const float to_x = static_cast<float>(columns_to(a)) + (0.5f - share * static_cast<float>(lbm_ex(q)) - x),
                to_y = static_cast<float>(rows_to(b)) + (0.5f - share * static_cast<float>(lbm_ey(q)) - y);
    return wall_momentum_term(q, moving_density, ux - rotation * to_y, uy + rotation * to_x);
  }

 private:
  PERTURB_HD static int shorter(int distance, int count) {
    if (2 * distance > count && count > 0) return distance - count;
    return 2 * distance < -count && count > 0 ? distance + count : distance;
  }
};

}  // namespace perturb::lbm
