// What refining has bought so far: the estimated error against the unknowns, for each way to refine.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/measure/estimate.h"
#include "cuda/membrane/state/saved.h"

namespace perturb::membrane {

class Convergence {
 public:
  // The cover as it is before or after it was refined this way; another problem begins anew. `error` is the true one
  // (in H¹), negative where nobody knows it.
  void note(Refinement by, const Parameters& p, std::int64_t unknowns, double estimate, double error);
  // By way: the estimates, and as theory the errors where they are known, as decimal logarithms over the cube root of
  // the unknowns, over which the best refinement of both kinds is a straight line.
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
