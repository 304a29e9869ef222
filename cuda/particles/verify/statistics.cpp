// The rule `exact` against theory for pairs and for long paths: the density around a disc at contact, and the
// displacement of a disc.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cuda/particles/model/checks.h"

namespace perturb::particles {

namespace {

const Curve& curve_of(const Diagnostics& diagnostics, const char* id) {
  for (const Curve& curve : diagnostics.curves)
    if (curve.id == id) return curve;
  throw Error(std::string("internal: the discs draw no ") + id);
}

std::unique_ptr<Simulation> gas_of(Backend& backend, double count, double fraction) {
  return discs_for_check(backend, {{"count", count},
                                   {"box", std::sqrt(count * std::numbers::pi / fraction)},
                                   {"velocity_max", 1},
                                   {"velocities", 1},
                                   {"collisions", 1}});
}

}  // namespace

TheoryCheck check_contact(Backend& backend) {
  const auto run = gas_of(backend, 4000, 0.3);
  run->step(30);
  // The first three distances from contact on, half a bin, one and a half and two and a half beyond it, averaged over
  // many times; the parabola through them is extrapolated to contact.
  constexpr int moments = 120;
  double g[3] = {0, 0, 0}, expected = 0;
  for (int k = 0; k < moments; ++k) {
    run->step(4);
    const Diagnostics d = run->diagnostics({}, true);
    const Curve& pairs = curve_of(d, "pair_correlation");
    expected = pairs.theory.back().y;
    const auto first =
        std::find_if(pairs.points.begin(), pairs.points.end(), [](const CurvePoint& p) { return p.x > 2; });
    if (pairs.points.end() - first < 3) throw Error("internal: the pair correlation ends at contact");
    for (int bin = 0; bin < 3; ++bin) g[bin] += (first + bin)->y / moments;
  }
  return relative_check("exact: pair correlation at contact, φ = 0.30", "", expected,
                        (15 * g[0] - 10 * g[1] + 3 * g[2]) / 8, 0.03,
                        "(Z - 1)/(2 φ) with Liu's equation of state, for pressure is what pairs in contact give.");
}

TheoryCheck check_displacement(Backend& backend) {
  const auto run = gas_of(backend, 20000, 0.05);
  run->step(50);
  run->load(run->save());  // the displacement starts here
  Diagnostics d = run->diagnostics({}, true);
  for (int k = 0; k < 15; ++k) run->step(5), d = run->diagnostics({}, true);
  const Curve& way = curve_of(d, "displacement");
  return relative_check(
      "exact: mean square of the way, φ = 0.05", "length²", way.theory.back().y, way.points.back().y, 0.04,
      "4 D (t - t' (1 - exp(-t/t'))) between walls that reflect, with Enskog's D, which takes each collision for a new "
      "one and the first term of a series: what both leave out is some 2 % of a thin gas; relative.");
}

}  // namespace perturb::particles
