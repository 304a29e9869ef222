// The shown quantity of a cell of the flow.
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/lbm/model/edit.h"

namespace perturb::lbm {

enum class Shown { speed, vorticity, density, dye, velocity_x, velocity_y };

// The value that the sampler reads in a cell.
template <class T>
struct ShownCell {
  Velocity<T> velocity;
  View2D<const float> dye;  // may be empty
  Shown shown;
  bool wrap_x, wrap_y;

  PERTURB_HD Moments near(int i, int j) const {
    i = wrap_x ? wrap(i, velocity.g.width) : clamp_index(i, velocity.g.width);
    j = wrap_y ? wrap(j, velocity.g.height) : clamp_index(j, velocity.g.height);
    return velocity(i, j);
  }
  // dv/dx - du/dy by central differences; the fluid at walls is at rest.
  PERTURB_HD float spin(int i, int j) const {
    return 0.5f * ((near(i + 1, j).uy - near(i - 1, j).uy) - (near(i, j + 1).ux - near(i, j - 1).ux));
  }
  PERTURB_HD float operator()(int i, int j) const {
    if (shown == Shown::dye) return dye.empty() ? 0.f : dye(i, j);
    if (shown == Shown::vorticity) return velocity.is_wall(i, j) ? 0.f : spin(i, j);
    const Moments m = velocity(i, j);
    switch (shown) {
      case Shown::density:
        return 1.f + m.drho;
      case Shown::velocity_x:
        return m.ux;
      case Shown::velocity_y:
        return m.uy;
      default:
        return sqrtf(m.ux * m.ux + m.uy * m.uy);
    }
  }
};

}  // namespace perturb::lbm
