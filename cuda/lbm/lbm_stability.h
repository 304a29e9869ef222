// How fast a flow may be for its collision: von Neumann's analysis of the scheme about a uniform flow.
#pragma once

namespace perturb {

// The largest growth of any wave in a step, as a factor, in a uniform flow of density 1 and speed `speed` at `angle` (radians) to
// the lattice, for even moments relaxed at the rate `plus` and odd ones at `minus` (equal: BGK). Of the linearised step's nine
// eigenvalues for each wave number on a grid of them (Sterling & Chen 1996; Lallemand & Luo 2000).
double lbm_growth(double plus, double minus, double speed, double angle);

// The speed up to which no wave grows e-fold in less than 5000 steps, at most `most`. With one relaxation time it hardly
// depends on the viscosity before that is tiny (0.2 at ν = 0.005, 0.13 at 0.001); with a fixed magic parameter, whose odd moments
// hardly relax where even ones relax at almost 2, it falls in proportion to it (0.1 at 0.005, 0.02 at 0.001).
double lbm_stable_speed(double plus, double minus, double most);

// The same for any viscosity at a fixed magic parameter (0: BGK), from nodes of a grid in ln ν, which are found when they are
// first asked for, once in a program.
class LbmStableSpeeds {
 public:
  explicit LbmStableSpeeds(double magic, double most) : magic_(magic), most_(most) {}
  double at(double viscosity);
  double magic() const { return magic_; }

 private:
  double node(int k);
  double magic_, most_;
};

}  // namespace perturb
