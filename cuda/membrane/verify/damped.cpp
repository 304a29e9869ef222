// The damped steady response, compared with the closed form of a mode and with the sum over modes.
#include <cmath>
#include <numbers>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

struct DampedResponse {
  double response, phase;
};
DampedResponse damped_response(Backend& backend, const Parameters& p, int level, int degree) {
  Discretisation d(backend, Cover(level, degree), p);
  const Form form = membrane_form(p, degree);
  d.enable_quadrature();
  d.assemble(Kernel::tensor, form, true, true);
  d.solver().prepare(d.matrix(std::abs(p.shift())), form, p.preconditioner);
  d.solve_complex(p.shift(), p.damping * p.frequency, {p.preconditioner, 1e-11, 5000});
  return {std::hypot(d.mean(), std::sqrt(d.product_of(d.mass_matrix(), d.quadrature().data()))),
          phase_of(d.work(), d.solver().dot(d.load().data(), d.quadrature().data()))};
}

}  // namespace

void verify_damped(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.sigma = 0, p.damping = 0.4;
  // Under the load (omega² - k²) sin sin only this mode responds: with the load divided by omega² - k² + i k c.
  p.load = Load::mode, p.mode_x = 1, p.mode_y = 2;
  const double omega2 = 5 * std::numbers::pi * std::numbers::pi;
  for (const double k : {6.9, 7.1}) {
    p.frequency = k;
    const double distance = omega2 - k * k, answer = 0.5 * std::abs(distance) / std::hypot(distance, k * p.damping);
    const DampedResponse got = damped_response(backend, p, 3, 4);
    // The load changes its sign at the mode, and the phase is relative to it.
    const double quadrature = std::atan2(k * p.damping, distance) * 180 / std::numbers::pi;
    checks.push_back({"damped mode, response at k = " + format_number(k), "height", answer, got.response,
                      std::abs(got.response / answer - 1), 1e-4,
                      "half of |omega² - k²|/|omega² - k² + i k c|; relative"});
    checks.push_back({"damped mode, lag at k = " + format_number(k), "°", quadrature, got.phase,
                      std::abs(got.phase - quadrature), 0.01, "the angle of omega² - k² + i k c; absolute"});
  }
  p.load = Load::bump, p.source_x = 0.3, p.source_y = 0.4;
  for (const double k : {std::numbers::sqrt2 * std::numbers::pi, 6.0, std::sqrt(omega2)}) {
    p.frequency = k;
    const DampedResponse got = damped_response(backend, p, 4, 3);
    const double response = exact_response_at(p, k), quadrature = exact_phase_at(p, k);
    checks.push_back({"damped response at k = " + format_number(k, 5), "height", response, got.response,
                      std::abs(got.response / response - 1), 1e-3,
                      "the sum over modes f_mn/(lambda_mn - k² + i k c); relative"});
    checks.push_back({"lag behind the load at k = " + format_number(k, 5), "°", quadrature, got.phase,
                      std::abs(got.phase - quadrature), 0.1, "the angle of that sum at the load; absolute"});
  }
}

}  // namespace perturb::membrane
