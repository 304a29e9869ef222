// The surface in space on CPU threads: the bits of Relief, with a column's samples side by side in vectors.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/wave/view/relief.h"

namespace perturb::wave {

// Draws all columns. Real: float, double.
template <class Real>
void relief_columns(Backend& backend, const Relief<Real>& relief);

}  // namespace perturb::wave
