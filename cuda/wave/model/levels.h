// The fields that a kernel reads and writes.
#pragma once

#include "cuda/core/backend/view.h"

namespace perturb::wave {

// Two time levels of the tank, and two more of the same shape to write to. Rows are padded (Field): kernels access
// units of 16 bytes, so they may write to the padding, which is never read.
template <class Real>
struct Levels {
  View2D<Real> u, u_previous;          // in: the levels t and t-1. out: t+steps and t+steps-1
  View2D<Real> spare, spare_previous;  // for `temporal` and `convolution`; the others work in place
};

}  // namespace perturb::wave
