#include <cmath>
#include <numbers>

#include "cuda/core/check.h"
#include "cuda/core/elementary.h"
#include "cuda/membrane/membrane_cell.h"

namespace perturb {

MembraneRule membrane_gauss_rule(int points) {
  PERTURB_ASSERT(points >= 1 && points <= membrane_most_points);
  MembraneRule rule;
  rule.count = points;
  for (int k = 0; k < points; ++k) {
    // Newton's method on the Legendre polynomial, from a guess that is near enough for every order.
    double t = cosine(std::numbers::pi * (k + 0.75) / (points + 0.5)), slope = 1;
    for (int turn = 0; turn < 100; ++turn) {
      double before = 1, now = t;
      for (int n = 2; n <= points; ++n) {
        const double next = ((2 * n - 1) * t * now - (n - 1) * before) / n;
        before = now, now = next;
      }
      slope = points * (t * now - before) / (t * t - 1);
      const double move = now / slope;
      t -= move;
      if (std::abs(move) < 1e-16) break;
    }
    // In ascending order; the middle one of an odd rule is zero.
    const int at = points - 1 - k;
    rule.point[at] = points % 2 == 1 && k == points / 2 ? 0 : t;
    rule.weight[at] = 2 / ((1 - t * t) * slope * slope);
  }
  return rule;
}

}  // namespace perturb
