// Where walls are, for kernels that take several steps in one pass over memory.
#pragma once

#include <cstdint>

#include "cuda/core/backend/field.h"

namespace perturb::lbm {

// The bands of the grid that walls affect. The kernel finds them again where `known` is false.
struct MarkedBands {
  bool known = false;  // set to false with every change of StepParams::links
  int many = 0;
  Array<std::uint8_t> marked;
  Array<int> list, count;
};

}  // namespace perturb::lbm
