// Error estimate: the parts of the unknown solution that polynomials of one degree more would add.
//
// The solution is embedded into the space in which every patch has one degree more, where it leaves a residual r. The
// correction of each patch alone, r_i·A_ii⁻¹ r_i, is its share of the squared error (in the energy norm, with the
// boundary part of fixed sides). Patches overlap, so together they count part of the error more than once: at most as
// often as the cover has colours, 4 for a uniform one (the additive Schwarz bound).
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/state/saved.h"

namespace perturb::membrane {

struct Estimate {
  std::vector<double> square;  // per patch, in the cover's order
  // Per patch, the ratio of the coefficients of one degree more to those of its highest degree: small where the
  // solution is smooth.
  std::vector<double> decay;
  double total() const;  // the square root of the sum
};

// The highest degree of a patch for which an error can be estimated.
constexpr int max_estimated_degree = membrane_max_degree - 1;

// Throws InputError if a patch has a higher degree, or if there is not enough memory.
Estimate membrane_estimate(Backend& backend, const Discretisation& d, const Parameters& p);

// Refinement method: splitting, raising the degree, or the one with the larger expected gain per unknown.
enum class Refinement { h, p, hp };

// Refines the patches with the largest shares that together have `share` of the squared error. Throws InputError if
// none of them can be refined.
Cover membrane_refined(const Cover& cover, const Estimate& estimate, Refinement by, double share);

// ---- convergence
//
// Convergence so far: the estimated error against the unknowns, for each method of refinement.

class Convergence {
 public:
  // Records the cover before or after a refinement by this method; another problem restarts the curves. `error`: the
  // true error (in H¹), negative if unknown.
  void note(Refinement by, const Parameters& p, std::int64_t unknowns, double estimate, double error);
  // One curve per method: the estimates, and as theory the true errors if known, as decimal logarithms over the cube
  // root of the unknowns. The best combined refinement (hp) is a straight line in this plot.
  std::vector<Curve> curves() const;

  void save_to(Saved& saved) const;
  void load_from(const Saved& saved);

 private:
  struct Point {
    double by, unknowns, estimate, error;
  };
  std::vector<Point> points_;
  Parameters noted_for_;
};

}  // namespace perturb::membrane
