// From the parameters to the numbers of the scheme: relaxation rates, force, sides.
#pragma once

#include "cuda/core/simulation/cells.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// A Feature sum: the terms of a collision beyond relaxation.
int features_of(const Parameters& parameters);
bool has_side(const Parameters& parameters, Boundary kind);
// The speed that an inlet, or else a moving side, gives to the flow; 0: neither does.
double given_speed(const Parameters& parameters);

// Step parameters for width x height cells with these rates and sides, without boundary links.
StepParams step_params_of(const Parameters& parameters, int width, int height);

inline bool lbm_wraps_x(const StepParams& params) { return params.left.kind == Boundary::periodic; }
inline bool lbm_wraps_y(const StepParams& params) { return params.bottom.kind == Boundary::periodic; }

inline RepeatingGrid repeating(const StepParams& params) {
  return {params.width, params.height, lbm_wraps_x(params), lbm_wraps_y(params)};
}

}  // namespace perturb::lbm
