// How fast a flow may be for its collision: von Neumann's analysis of the scheme about a uniform flow.
#pragma once

#include <array>

#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

// What a collision makes of a small change of the populations in a flow of density 1 and this velocity: [to][from].
using CollisionMatrix = std::array<std::array<double, lbm_links>, lbm_links>;
CollisionMatrix collision_matrix(double plus, double minus, double ux, double uy);

// The largest growth of any wave in a step, as a factor, in a uniform flow of density 1 and speed `speed` at
// `angle` (radians) to the lattice, for even moments relaxed at the rate `plus` and odd ones at `minus`
// (equal: BGK). Of the linearised step's nine eigenvalues for each wave number on a grid of them (Sterling &
// Chen 1996; Lallemand & Luo 2000).
double lbm_growth(double plus, double minus, double speed, double angle);

// The speed up to which no wave grows e-fold in less than 5000 steps, at most `most`. With one relaxation time it
// hardly depends on the viscosity before that is tiny (0.2 at ν = 0.005, 0.13 at 0.001); with a fixed magic
// parameter, whose odd moments hardly relax where even ones relax at almost 2, it falls in proportion to it (0.1
// at 0.005, 0.02 at 0.001).
double lbm_stable_speed(double plus, double minus, double most);

// The speed up to which no wave grows at an inlet that a stream enters straight, at most `most`: of the linearised step
// in a strip across the inlet, bounce-back at one end. With odd moments that hardly relax ripples stay at the inlet and
// grow there in streams that bear them elsewhere (TRT, Λ = 3/16: 0.13 at ν = 0.012, 0.061 at 0.006). With one
// relaxation time it sets no limit.
double stable_inlet(double plus, double minus, double most);

// The highest speed up to `most` for which `stable(speed)` holds, to most/2^halvings from below; what holds at a speed
// holds at all lower ones.
template <class Stable>
double highest_stable(double most, int halvings, const Stable& stable) {
  if (stable(most)) return most;
  double low = 0, high = most;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

// Either for any viscosity at a fixed magic parameter (0: BGK), from nodes of a grid in ln ν, which are found when they
// are first asked for, once in a program.
class StableSpeeds {
 public:
  enum class Where { stream, inlet };
  StableSpeeds(Where where, double magic, double most) : where_(where), magic_(magic), most_(most) {}
  double at(double viscosity) const;

 private:
  double node(int k) const;
  Where where_;
  double magic_, most_;
};

}  // namespace perturb::lbm
