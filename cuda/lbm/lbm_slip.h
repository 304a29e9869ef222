// How far a wall's answer lets a viscous flow slip along it.
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/lbm/lbm_params.h"

namespace perturb {

// Λ = Λ₊ Λ₋ of the collision, Λ₊ = 3ν; where both rates are equal Λ₋ is the same. With LES without the eddies' share.
inline double lbm_magic(const LbmParameters& p) {
  const double even = 3 * p.viscosity;
  return p.collision == LbmCollision::trt ? p.magic : even * even;
}

// The part of Λ by which curved outlines are corrected (LbmCurve). The correction is a second difference of the step
// before, like an explicit step of diffusion, and has such a step's limit: beside a flat wall, along the lattice or at
// 45 degrees to it, at a tenth of a cell and more, no ripple grows while it is at most 1/4 and at most 0.075/ν (the
// eigenvalues of the linearised step in a strip; TRT: from ν = 0.02 on). With all of Λ and one relaxation time ripples
// grow from ν = 0.2 on, seventyfold a step at ν = 2.
inline double lbm_curve_correction(const LbmParameters& p) {
  return std::min({lbm_magic(p), 0.25, 0.075 / p.viscosity});
}

// By what share of its peak a parabola between two walls `width` cells apart slips along them. Bounce-back holds a
// parabola at its walls for Λ = 3/16 alone, and is off by (16 Λ - 3)/(3 width²) of its peak (He, Zou, Luo & Dembo 1997;
// Ginzburg & d'Humières 2003); at curved outlines what the correction leaves out of Λ counts.
inline double lbm_wall_slip(const LbmParameters& p, double width) {
  const double magic = lbm_magic(p),
               off = p.outlines == LbmOutlines::curved ? magic - lbm_curve_correction(p) : magic - 3. / 16;
  return 16 * std::abs(off) / (3 * width * width);
}

}  // namespace perturb
