// The checks of the slip of a viscous flow at walls, and of the gauge that shows it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/lbm/lbm.h"

namespace perturb::lbm {

namespace {

constexpr double at_side = 1, one_rate = 0, two_rates = 1;  // a wall; BGK, TRT
constexpr int slip_width = 30;

// Slip: mean excess of a parabola's speed as a fraction of its peak, measured and shown by the gauge.
struct Slip {
  double measured = 0, gauge = 0;
};

// A channel `slip_width` cells wide. With curved outlines its walls are two rectangles that end at a fifth of a cell;
// with whole cells they are the domain's sides.
Slip slip_of_channel(Backend& backend, bool curved_outlines, std::map<std::string, double> parameters) {
  const double low = curved_outlines ? 3.8 : 0, high = low + slip_width, viscosity = parameters.at("viscosity");
  const int height = curved_outlines ? slip_width + 7 : slip_width;
  const double peak = 0.02, force = 8 * viscosity * peak / (slip_width * slip_width);
  Setup setup;
  setup.simulation = "lbm";
  setup.width = 4, setup.height = height;
  parameters.insert({{"force_x", force},
                     {"boundary_bottom", at_side},
                     {"boundary_top", at_side},
                     {"outlines", curved_outlines ? 1.0 : 0.0}});
  setup.parameters = std::move(parameters);
  if (curved_outlines)
    setup.actions = {{"wall-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", low / height}}, "", nullptr},
                     {"wall-rectangle", {{"x0", 0}, {"y0", high / height}, {"x1", 1}, {"y1", 1}}, "", nullptr}};
  const auto flow = lbm_simulation().create(backend, setup);
  flow->step(static_cast<std::int64_t>(2.5 * slip_width * slip_width / viscosity) + 200);
  const State state = flow->save();
  const auto u = state.get<float>("velocity", {static_cast<std::size_t>(height), 4, 2});
  Slip slip;
  int cells = 0;
  for (int j = 0; j < height; ++j) {
    const double y = j + 0.5;
    if (y < low || y > high) continue;
    slip.measured += static_cast<double>(u[2 * (static_cast<std::size_t>(j) * 4 + 1)]) -
                     force / (2 * viscosity) * (y - low) * (high - y);
    ++cells;
  }
  slip.measured /= cells * peak;
  flow->diagnostics({}, true);
  for (const Gauge& gauge : flow->gauges())
    if (gauge.id == "slip") slip.gauge = gauge.value;
  return slip;
}

TheoryCheck slip_row(std::string name, double expected, double got, double tolerance, std::string note) {
  double error = std::abs(got - expected);
  if (!std::isfinite(error)) error = 1e30;
  return {std::move(name), "of the peak", expected, got, error, tolerance, std::move(note)};
}

}  // namespace

std::vector<TheoryCheck> check_slip(Backend& backend) {
  // He, Zou, Luo & Dembo (1997); Ginzburg & d'Humières (2003): a parabola between two walls W cells apart is too fast
  // by (16 Λ - 3)/(3 W²) of its peak, with Λ = 9 ν² of a single relaxation time.
  const auto of_magic = [](double magic, double held) { return 16 * (magic - held) / (3.0 * slip_width * slip_width); };
  std::vector<TheoryCheck> checks;
  for (const double viscosity : {0.4, 2.0}) {
    const double expected = of_magic(9 * viscosity * viscosity, 3.0 / 16);
    const Slip slip = slip_of_channel(backend, false, {{"collision", one_rate}, {"viscosity", viscosity}});
    const std::string where = ", BGK, ν = " + format_number(viscosity, 2);
    checks.push_back(slip_row("slip at walls" + where, expected, slip.measured, 0.01 * expected + 1e-4,
                              "(16 Λ - 3)/(3 W²), He et al. (1997), Λ = 9ν², walls W = 30 cells apart."));
    checks.push_back(slip_row("slip at walls, by the gauge" + where, slip.measured, slip.gauge, 0.01 * expected + 1e-4,
                              "The gauge beside what the channel of 30 cells does."));
  }
  // Of Λ, which is the parameter with TRT, a curved outline is corrected by at most 1/4 or 0.075/ν.
  const double viscosity = 1, expected = of_magic(9 * viscosity * viscosity, 0.075 / viscosity);
  checks.push_back(slip_row(
      "slip at curved walls, BGK, ν = 1", expected,
      slip_of_channel(backend, true, {{"collision", one_rate}, {"viscosity", viscosity}}).measured,
      0.01 * expected + 1e-3, "16 (Λ - Λ')/(3 W²), Λ = 9ν², of which Λ' = 0.075/ν is corrected; walls within cells."));
  const Slip held = slip_of_channel(backend, false, {{"collision", two_rates}, {"magic", 3.0 / 16}, {"viscosity", 2}});
  checks.push_back(slip_row("slip at walls, TRT, ν = 2", 0, held.measured, 1e-4,
                            "TRT with Λ = 3/16 holds a parabola at its walls at any viscosity."));
  return checks;
}

}  // namespace perturb::lbm
