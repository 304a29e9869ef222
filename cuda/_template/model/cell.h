// The physics of one cell: values in, value out. Write and test this part first.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb::heat {

// The diffusion equation: T_t = D (T_xx + T_yy), explicit in time. `number` is D·dt/dx², stable up to 1/4.
PERTURB_HD inline float update(float own, float left, float right, float down, float up, float number) {
  return multiply_add(number, multiply_add(-4.f, own, (left + right) + (down + up)), own);
}

}  // namespace perturb::heat
