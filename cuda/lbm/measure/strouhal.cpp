#include "cuda/lbm/measure/strouhal.h"

#include <cmath>

#include "cuda/core/simulation/format.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

constexpr double min_reynolds = 50, max_reynolds = 1000;
// A stream not much wider than the cylinder is faster next to it: at 4.1 diameters Schäfer & Turek (1996) have 0.30 at
// a Reynolds number of 100, where a wide stream has 0.167.
constexpr double min_width = 5;

}  // namespace

double expected_strouhal(double reynolds) {
  return reynolds >= min_reynolds && reynolds <= max_reynolds ? 0.2698 - 1.0271 / std::sqrt(reynolds) : 0;
}

Expected expected_of(const Parameters& p, const Bodies& bodies, std::size_t body, Stream stream, int width,
                     double reynolds) {
  const Body& cylinder = bodies.reported[body];
  if (!cylinder.disc || !has_side(p, Boundary::inlet)) return {};
  const auto none = [](const std::string& because) {
    return Expected{0, "No Strouhal number is expected of this cylinder: " + because + "."};
  };
  if (bodies.all > 1 || bodies.sides) return none("other walls disturb its stream");
  if (p.inlet_profile != Profile::uniform) return none("what is known is of a uniform stream");
  if (width < min_width * cylinder.across(stream))
    return none("what is known is of a wide stream, and this one is " +
                format_number(static_cast<double>(width) / cylinder.across(stream), 2) + " diameters broad");
  const double strouhal = expected_strouhal(reynolds);
  if (!(strouhal > 0))
    return none("Henderson's computations (1997) are fitted for Reynolds numbers of " + format_number(min_reynolds, 2) +
                " to " + format_number(max_reynolds, 4));
  return {strouhal, ""};
}

}  // namespace perturb::lbm
