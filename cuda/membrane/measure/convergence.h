// Convergence so far: the estimated error against the unknowns, for each method of refinement.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/measure/estimate.h"
#include "cuda/membrane/state/saved.h"

namespace perturb::membrane {

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
