// From the parameters to the numbers of the scheme: relaxation rates, force, sides.
#pragma once

#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_pass.h"

namespace perturb::lbm {

// An LbmFeature sum: the terms of a collision beyond relaxation.
int lbm_features_of(const LbmParameters& parameters);
bool lbm_has_side(const LbmParameters& parameters, LbmBoundary kind);
// The speed that an inlet, or else a moving side, gives to the flow; 0: none does.
double lbm_given_speed(const LbmParameters& parameters);

// A pass over width x height cells with these rates and sides, and no marks.
LbmPass lbm_pass_of(const LbmParameters& parameters, int width, int height);

inline bool lbm_wraps_x(const LbmPass& pass) { return pass.left.kind == LbmBoundary::periodic; }
inline bool lbm_wraps_y(const LbmPass& pass) { return pass.bottom.kind == LbmBoundary::periodic; }

}  // namespace perturb::lbm
