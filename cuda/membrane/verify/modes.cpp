// The membrane's own modes compared with theory.
#include "cuda/membrane/model/modes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cuda/membrane/measure/gauges.h"
#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

void verify_modes(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.level = 3, p.degree = 4;
  for (const Side side : {Side::fixed, Side::free}) {
    p.boundary_left = p.boundary_right = p.boundary_bottom = p.boundary_top = side;
    const std::vector<double> found = found_modes(backend, p);
    const std::vector<Mode> theory = lowest_modes(p, Modes::count);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{15}}) {
      const double exact = theory[k].eigenvalue;
      checks.push_back({"mode " + std::to_string(k + 1) + ", (" + std::to_string(theory[k].m) + ", " +
                            std::to_string(theory[k].n) + ")" + (side == Side::free ? ", free" : ", fixed"),
                        "1/length²", exact, found[k], std::abs(found[k] - exact) / std::max(exact, 1.0), 1e-4,
                        "pi²(m² + n²), a Rayleigh quotient; relative, level 3, p = 4"});
    }
  }
  p = {};
  p.degree = 2, p.integration_level = 8;
  double errors[2] = {};
  for (const int finer : {0, 1}) {
    p.level = 3 + finer;
    errors[finer] = found_modes(backend, p)[3] / lowest_modes(p, Modes::count)[3].eigenvalue - 1;
  }
  // The relative error of a frequency is half of its square's.
  const double formula = wave_error(std::sqrt(8.0) * std::numbers::pi, 1.0 / 16, p.degree);
  checks.push_back({"mode 4 too high, p = 2, by the gauge of waves", "", formula, 0.5 * errors[1],
                    std::abs(std::log2(0.5 * errors[1] / formula)), 2,
                    "(p!/(2p)!)² (k h)^(2p)/(2 (2p + 1)) of finite elements; within a factor of four: the error is the "
                    "ratio's log2"});
  const double order = std::log2(errors[0] / errors[1]);
  checks.push_back({"order of mode 4, p = 2", "", 4, order, std::abs(order - 4), 0.5,
                    "2 p, twice that of the shape in H¹; absolute"});
}

}  // namespace perturb::membrane
