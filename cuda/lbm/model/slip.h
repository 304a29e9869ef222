// How far a wall's answer lets a viscous flow slip along it.
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// Λ = Λ₊ Λ₋ of the collision, Λ₊ = 3ν; where both rates are equal Λ₋ is the same. With LES without the eddies' share.
inline double lbm_magic(const Parameters& p) {
  const double even = 3 * p.viscosity;
  return p.collision == Collision::trt ? p.magic : even * even;
}

// The part of Λ by which curved outlines are corrected (WallCurve). The correction is a second difference of the step
// before, like an explicit step of diffusion, and has such a step's limit: beside a flat wall, along the lattice or at
// 45 degrees to it, at a tenth of a cell and more, no ripple grows while it is at most 1/4 and at most 0.075/ν (the
// eigenvalues of the linearised step in a strip). With all of Λ and one relaxation time ripples grow from ν = 0.2 on,
// seventyfold a step at ν = 2. Of TRT's Λ it is at most 9ν, which less viscous flows bear: there odd moments hardly
// relax, and with all of Λ = 3/16 ripples grow beside walls at 45 degrees from ν = 0.015 down, in fluid at rest (runs
// of 5000 steps beside such walls at eight heights: 9ν is borne from 0.001 on, 14ν is not at 0.01).
inline double curve_correction(const Parameters& p) {
  return std::min({lbm_magic(p), 0.25, 9 * p.viscosity, 0.075 / p.viscosity});
}

// The lowest viscosity that curved outlines bear with TRT. Below it ripples grow beside them in fluid at rest, even
// without a correction: odd moments, which the answers mix, hardly relax. Found by runs of a disc in a box, six radii,
// 16000 steps, to a fifth: 0.0013 to 0.0017 for Λ = 3/16, 0.0017 to 0.0022 for 1/2, 0.0006 to 0.001 for 0.02.
inline double curve_viscosity(const Parameters& p) { return 0.0025 * std::pow(p.magic, 0.25); }

// By what share of its peak a parabola between two walls `width` cells apart slips along them. Bounce-back holds a
// parabola at its walls for Λ = 3/16 alone, and is off by (16 Λ - 3)/(3 width²) of its peak (He, Zou, Luo & Dembo 1997;
// Ginzburg & d'Humières 2003); at curved outlines what the correction leaves out of Λ counts.
inline double wall_slip(const Parameters& p, double width) {
  const double magic = lbm_magic(p),
               off = p.outlines == Outlines::curved ? magic - curve_correction(p) : magic - 3. / 16;
  return 16 * std::abs(off) / (3 * width * width);
}

}  // namespace perturb::lbm
