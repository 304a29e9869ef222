// The physics of one cell, which a user can edit while the program runs. Write and test this part first.
#pragma once

#include "cuda/core/backend/view.h"

namespace perturb::heat {

// The diffusion equation: T_t = D (T_xx + T_yy), explicit in time. `number` is D·dt/dx², stable up to 1/4.
PERTURB_HD inline float update(float own, float left, float right, float down, float up, float number) {
  return multiply_add(number, multiply_add(-4.f, own, (left + right) + (down + up)), own);
}

// Loops are named functors. One step, from one field to the other; the edge is kept at zero.
struct Step {
  using Constants = float;
  View2D<const float> t;
  View2D<float> to;
  Constants number;
  PERTURB_HD void operator()(int i, int j) const {
    const bool rim = i == 0 || j == 0 || i == t.width - 1 || j == t.height - 1;
    to(i, j) = rim ? 0.f : update(t(i, j), t(i - 1, j), t(i + 1, j), t(i, j - 1), t(i, j + 1), number);
  }
};

}  // namespace perturb::heat
