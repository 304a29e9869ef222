// The estimated error compared with the true one, and the convergence of refinement by it.
#include "cuda/membrane/measure/estimate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

struct Estimated {
  double estimate = 0, slope = 0, unknowns = 0;
};
Estimated estimated(Backend& backend, const Parameters& p, Cover& cover, const Refinement* by) {
  Discretisation d(backend, cover, p);
  check_solve(d, p);
  const CellError error = d.error(membrane_known(p), std::min(cover.highest_degree() + 4, most_points));
  const Estimate estimate = membrane_estimate(backend, d, p);
  if (by) cover = membrane_refined(cover, estimate, *by, 0.6);
  return {estimate.total(), std::sqrt(error.slope2), static_cast<double>(d.structure().unknowns)};
}

}  // namespace

void verify_estimate(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.load = Load::mode, p.mode_x = 2, p.mode_y = 1, p.integration_level = 8;
  for (const int degree : {1, 2, 3, 4}) {
    Cover cover(3, degree);
    const Estimated e = estimated(backend, p, cover, nullptr);
    checks.push_back(
        {"estimated error in the energy norm, p = " + std::to_string(degree), "height/length", e.slope, e.estimate,
         std::abs(std::log2(e.estimate / e.slope)), 1,
         "the true error in H¹, which is nearly all of it; within a factor of two: the error is the ratio's log2"});
  }
  // Splitting alone has order N^(-1/2) for p = 1; the combination must exceed any order of splitting.
  const auto run = [&](Refinement by, double most) {
    Cover cover(2, 1);
    Estimated first, last;
    do {
      last = estimated(backend, p, cover, &by);
      if (first.unknowns == 0) first = last;
    } while (last.unknowns < most);
    return std::pair{first, last};
  };
  const auto [h0, h] = run(Refinement::h, 1500);
  const double order = std::log(h0.slope / h.slope) / std::log(h.unknowns / h0.unknowns);
  checks.push_back({"order of refining by splitting (h), p = 1", "", 0.5, order, std::abs(order - 0.5), 0.1,
                    "H¹ error over unknowns: N^(-p/2); absolute"});
  const auto [both0, both] = run(Refinement::hp, 800);
  checks.push_back(
      {"error refined by both (hp), " + std::to_string(static_cast<int>(both.unknowns)) + " unknowns", "height/length",
       h.slope, both.slope, both.slope / h.slope, 0.2,
       "by splitting alone with " + std::to_string(static_cast<int>(h.unknowns)) + "; a fifth of it at most"});
}

}  // namespace perturb::membrane
