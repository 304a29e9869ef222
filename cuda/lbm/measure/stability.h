// Highest stable speed of a flow for its collision: von Neumann's analysis of the scheme about a uniform flow.
#pragma once

#include <array>

#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

// Linearised collision about a flow of density 1 and this velocity: [to][from].
using CollisionMatrix = std::array<std::array<double, lbm_links>, lbm_links>;
CollisionMatrix collision_matrix(double plus, double minus, double ux, double uy);

// Largest growth factor of any wave per step, in a uniform flow of density 1 and speed `speed` at
// `angle` (radians) to the lattice, with even moments relaxed at the rate `plus` and odd ones at `minus`
// (equal: BGK). From the nine eigenvalues of the linearised step for each wave number of a grid (Sterling &
// Chen 1996; Lallemand & Luo 2000).
double lbm_growth(double plus, double minus, double speed, double angle);

// The highest speed, up to `max_speed`, at which no wave grows by a factor e in less than 5000 steps. With a single
// relaxation time it hardly depends on the viscosity until that is very small (0.2 at ν = 0.005, 0.13 at 0.001). With a
// fixed magic parameter odd moments hardly relax when even ones relax at almost 2; the speed is then proportional to
// the viscosity (0.1 at 0.005, 0.02 at 0.001).
double lbm_stable_speed(double plus, double minus, double max_speed);

// The highest speed, up to `max_speed`, at which no wave grows at an inlet with flow normal to it: from the linearised
// step in a strip across the inlet, with bounce-back at one end. When odd moments hardly relax, ripples stay at the
// inlet and grow there in streams that are stable elsewhere (TRT, Λ = 3/16: 0.13 at ν = 0.012, 0.061 at 0.006). With a
// single relaxation time it sets no limit.
double stable_inlet(double plus, double minus, double max_speed);

// The highest speed, up to `max_speed`, for which `stable(speed)` holds, to max_speed/2^halvings from below. Assumes
// that a speed below a stable one is stable.
template <class Stable>
double highest_stable(double max_speed, int halvings, const Stable& stable) {
  if (stable(max_speed)) return max_speed;
  double low = 0, high = max_speed;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

// Either speed for any viscosity at a fixed magic parameter (0: BGK), interpolated between nodes of a grid in ln ν. A
// node is computed at its first use, once per process.
class StableSpeeds {
 public:
  enum class Where { stream, inlet };
  StableSpeeds(Where where, double magic, double max_speed) : where_(where), magic_(magic), max_speed_(max_speed) {}
  double at(double viscosity) const;

 private:
  double node(int k) const;
  Where where_;
  double magic_, max_speed_;
};

}  // namespace perturb::lbm
