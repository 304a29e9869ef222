#include "cuda/core/math/gauss_rule.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"

namespace perturb {

void gauss_rule(std::span<double> points, std::span<double> weights) {
  PERTURB_ASSERT(!points.empty() && points.size() == weights.size());
  const int count = static_cast<int>(points.size());
  for (int k = 0; k < count; ++k) {
    // Newton's method on the Legendre polynomial, from a guess that is close enough for every order.
    double t = cosine(std::numbers::pi * (k + 0.75) / (count + 0.5)), slope = 1;
    for (int turn = 0; turn < 100; ++turn) {
      double before = 1, now = t;
      for (int n = 2; n <= count; ++n) {
        const double next = ((2 * n - 1) * t * now - (n - 1) * before) / n;
        before = now;
        now = next;
      }
      slope = count * (t * now - before) / (t * t - 1);
      const double move = now / slope;
      t -= move;
      if (std::abs(move) < 1e-16) break;
    }
    const auto at = static_cast<std::size_t>(count - 1 - k);
    points[at] = count % 2 == 1 && k == count / 2 ? 0 : t;
    weights[at] = 2 / ((1 - t * t) * slope * slope);
  }
}

}  // namespace perturb
