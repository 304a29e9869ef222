// Rendering of the surface in 3-D on CPU threads: bit-identical to Relief, with the samples of a column in vectors.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/wave/view/relief.h"

namespace perturb::wave {

// Draws all columns. Real: float, double.
template <class Real>
void relief_columns(Backend& backend, const Relief<Real>& relief);

}  // namespace perturb::wave
