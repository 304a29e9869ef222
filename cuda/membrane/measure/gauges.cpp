#include "cuda/membrane/measure/gauges.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

namespace {

// A strike of width w excites the mode of frequency omega by exp(-(omega w/2)²) relative to the lowest modes: modes up
// to 2/w are loud.
double highest_frequency(const Parameters& p) { return std::max(2 / p.source_width, p.frequency); }

}  // namespace

double wave_error(double k, double width, int degree) {
  double quotient = 1;  // p!/(2p)!
  for (int j = degree + 1; j <= 2 * degree; ++j) quotient /= j;
  return 0.5 * quotient * quotient * std::pow(k * width, 2 * degree) / (2 * degree + 1);
}

double mode_frequency(const Solution& solution, double sigma, int number) {
  const std::vector<double>& values = solution.modes().values();
  return !solution.modes().has(number) ? 0
                                       : std::sqrt(std::max(values[static_cast<std::size_t>(number - 1)] + sigma, 0.0));
}

Gauge waves_gauge(const Solution& solution, const Parameters& p) {
  const double k = std::sqrt(
      std::max((p.in_time() ? highest_frequency(p) * highest_frequency(p) : p.frequency * p.frequency) - p.sigma, 0.0));
  const std::vector<Leaf>& leaves = solution.cover().leaves();
  double worst = 0;
  for (const Leaf& leaf : leaves) {
    worst = std::max(worst, wave_error(k, std::ldexp(1.0, -leaf.level), leaf.degree));
    if (solution.structure().uniform && solution.structure().same_degree) break;
  }
  Gauge gauge;
  gauge.id = "waves";
  gauge.label = "Waves on the patches";
  gauge.help = Message(
      "Relative frequency error of the largest patches of the lowest degree, for waves of {} radians per length "
      "unit. They make the frequency too high; leading term (p!/(2p)!)² (k h)^(2p)/(2 (2p + 1)).",
      format_number(k, 3));
  gauge.value = worst;
  gauge.warn_at = 2e-3;
  gauge.limit = 0.01;
  gauge.remedy = "Raise the level or the degree, or split patches.";
  return gauge;
}

Gauge modes_gauge(const Solution& solution, const Parameters& p) {
  const Mode mode = lowest_modes(p, Modes::count)[static_cast<std::size_t>(p.mode_number - 1)];
  const double exact = std::sqrt(std::max(mode.eigenvalue + p.sigma, 0.0)),
               found = mode_frequency(solution, p.sigma, p.mode_number);
  const bool is_found = solution.modes().has(p.mode_number);
  Gauge gauge;
  gauge.id = "mode";
  gauge.label = Message("Mode ({}, {})", mode.m, mode.n);
  const std::string value = format_number(found, 6), theory = format_number(exact, 6);
  gauge.help = solution.modes().settled()
                   ? Message("Relative deviation of the frequency {} of mode ({}, {}) from the theoretical value {}.",
                             value, mode.m, mode.n, theory)
                   : Message(
                         "Relative deviation of the frequency of mode ({}, {}) from the theoretical value {}; the "
                         "search is still running.",
                         mode.m, mode.n, theory);
  if (solution.modes().settled() && !is_found)
    gauge.help = "This cover has no such mode: it has fewer unknowns than the number of the mode.";
  // There is nothing to compare before the mode has been found.
  gauge.measured = solution.modes().settled() && is_found;
  if (gauge.measured) gauge.value = exact > 0 ? std::abs(found / exact - 1) : std::abs(found);
  gauge.warn_at = 2e-3;
  gauge.limit = 0.01;
  gauge.remedy = "Raise the level or the degree.";
  return gauge;
}

// Relative error by which the midpoint rule lowers a frequency.
Gauge step_gauge(const Parameters& p) {
  const double omega = highest_frequency(p), angle = 0.5 * omega * p.time_step;
  Gauge gauge;
  gauge.id = "step";
  gauge.label = "Time step";
  gauge.help = Message(
      "Relative error of the frequency {} due to the time step, which makes it too low: 1 - atan(omega dt/2)/(omega "
      "dt/2). A strike of this width excites modes up to that frequency (2/w).",
      format_number(omega, 3));
  gauge.value = 1 - std::atan(angle) / angle;
  // A twelfth of a semitone, half a semitone.
  gauge.warn_at = 0.005;
  gauge.limit = 0.03;
  gauge.remedy = "Lower the time step, or strike with a wider bump.";
  return gauge;
}

Gauge solver_gauge(const Solution& solution) {
  const Solved& solve = solution.solve();
  const Parameters& p = solution.parameters();
  Gauge gauge;
  gauge.id = "residual";
  gauge.label = "Residual";
  gauge.help = Message(
      "Residual of the solver after {} iterations, as a fraction of the load. Above the tolerance the last solution is "
      "kept. The warning starts at three quarters of the allowed iterations.",
      solve.iterations);
  if (solve.direct)
    gauge.help =
        "Solved directly, without iterations, from all modes of the matrices. The value is an upper bound of the "
        "residual, as a fraction of the load.";
  if (solve.factored)
    gauge.help =
        "The iteration did not converge, so the matrix was factored. The value is the residual as a fraction of the "
        "products that it is the difference of. Rounding allows no stricter limit, whatever the tolerance.";
  gauge.measured = solution.has_solved();
  gauge.value = solve.residual;
  gauge.limit = solve.tolerance > 0 ? solve.tolerance : p.tolerance;
  gauge.warn_at = solve.converged && solve.iterations < 0.75 * p.max_iterations ? gauge.limit : 0;
  gauge.remedy = solver_remedy(p);
  return gauge;
}

Gauge resonance_gauge(const Parameters& p, bool resonant) {
  const Mode mode = nearest_mode(p, -p.shift());
  Gauge near;
  near.id = "resonance";
  near.label = Message("Near mode ({}, {})", mode.m, mode.n);
  near.help = Message("How close the frequency is to mode ({}, {}) at k = {}.", mode.m, mode.n,
                      format_number(std::sqrt(std::max(mode.eigenvalue + p.sigma, 0.0)), 6)) +
              (p.is_complex() ? "Damping keeps the response finite there."
               : resonant     ? "At resonance there is no steady response; the growing one is shown."
                              : "At resonance the response grows without limit.");
  // 1 at the mode itself, decreasing with the distance in eigenvalues.
  const double coupling = p.is_complex() ? p.damping * p.frequency : 0;  // the remaining distance at the mode itself
  const double distance = std::hypot(mode.eigenvalue + p.shift(), coupling) / std::max(std::abs(mode.eigenvalue), 1.0);
  near.value = resonant ? 1.1 : 1 / (1 + 20 * distance);
  near.limit = 1;
  near.warn_at = 1 / (1 + 20 * 0.01);  // the response of this mode is a hundred times the static one
  near.remedy = "Change the frequency to leave the resonance.";
  return near;
}

}  // namespace perturb::membrane
