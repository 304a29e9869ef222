// Frequencies of standing modes, compared with those of a string, a rectangle and a round drum.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <math.h>

#include "cuda/wave/verify/verify.h"

namespace perturb::wave {

namespace {

using std::numbers::pi;

TheoryCheck relative_row(std::string name, std::string unit, double expected, double got, double tolerance,
                         std::string note) {
  double error = std::abs(got / expected - 1);
  if (!std::isfinite(error)) error = 1e30;
  return {std::move(name), std::move(unit), expected, got, error, tolerance, std::move(note)};
}

// The measured frequency of a mode of a tank that is fixed on the left and free on the right.
double mode_frequency(Backend& backend, int width, int height, Boundary bottom, double m, double n) {
  const auto tank = make_tank(backend, width, height,
                              {{"damping", 0},
                               {"time_step", 0.5},
                               {"boundary_left", as_parameter(Boundary::fixed)},
                               {"boundary_right", as_parameter(Boundary::free)},
                               {"boundary_bottom", as_parameter(bottom)},
                               {"boundary_top", as_parameter(Boundary::free)}});
  tank->apply({"mode", {{"m", m}, {"n", n}, {"amplitude", 1}}, "", nullptr});
  tank->step(4000);
  return tank->diagnostics({}, true).number("mode_frequency");
}

// The frequency of the mode J0(z r/R) or J1(z r/R) x/r of a round tank of `radius` cells: from the crossings of zero of
// its projection.
double drum_frequency(Backend& backend, int radius, int order, double zero) {
  const int side = 2 * radius + 9;
  const auto tank = make_tank(backend, side, side, {{"damping", 0}, {"time_step", 0.5}});
  const double half = static_cast<double>(radius) / side;
  tank->apply(
      {"wall-ellipse", {{"x", 0.5}, {"y", 0.5}, {"radius_x", half}, {"radius_y", half}, {"outside", 1}}, "", nullptr});
  State state = tank->save();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(side), static_cast<std::size_t>(side)};
  std::vector<double> mode(static_cast<std::size_t>(side) * side);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const double x = i + 0.5 - 0.5 * side, r = std::hypot(x, j + 0.5 - 0.5 * side);
      if (r >= radius) continue;
      const double along = zero * r / radius;
      mode[static_cast<std::size_t>(j) * side + i] = order == 0 ? ::j0(along) : (r > 0 ? ::j1(along) * x / r : 0);
    }
  state.put<double>("u", shape, "height", mode);
  state.put<double>("u_previous", shape, "height", mode);
  tank->load(state);
  const auto projection = [&] {
    const std::vector<double> u = tank->save().get<double>("u", shape);
    double sum = 0;
    for (std::size_t k = 0; k < u.size(); ++k) sum += u[k] * mode[k];
    return sum;
  };
  // Ten periods.
  constexpr double dt = 0.5;
  constexpr int stride = 8;
  const auto steps = static_cast<std::int64_t>(10 * 2 * pi * radius / (zero * dt));
  double before = projection(), first = 0, last = 0;
  int crossings = 0;
  for (std::int64_t step = 0; step < steps; step += stride) {
    tank->step(stride);
    const double now = projection();
    if ((before < 0) != (now < 0)) {
      last = dt * (static_cast<double>(step) + stride * before / (before - now));
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  return crossings < 2 ? 0 : 0.5 * (crossings - 1) / (last - first);
}

}  // namespace

std::vector<TheoryCheck> check_mode_frequencies(Backend& backend) {
  const double string = mode_frequency(backend, 127, 4, Boundary::free, 3, 0),
               finer = mode_frequency(backend, 255, 4, Boundary::free, 3, 0);
  const double expected = 2.5 / (2 * 127.5), half = 2.5 / (2 * 255.5);
  const double plate = mode_frequency(backend, 127, 95, Boundary::fixed, 3, 2);
  return {relative_row("third mode of a string, one end free", "1/time", expected, string, 2e-4,
                       "(m - 1/2) c/2L, from a fixed end one cell outside to a free one at the last face."),
          {"order of that error", "", 2, std::log2(std::abs(string / expected - 1) / std::abs(finer / half - 1)),
           std::abs(std::log2(std::abs(string / expected - 1) / std::abs(finer / half - 1)) - 2), 0.1,
           "With 127 and 255 cells."},
          relative_row("mode (3, 2), two edges fixed, two free", "1/time", 0.5 * std::hypot(2.5 / 127.5, 1.5 / 95.5),
                       plate, 2e-4, "c/2 hypot((m - 1/2)/Lx, (n - 1/2)/Ly).")};
}

std::vector<TheoryCheck> check_drum(Backend& backend) {
  struct DrumMode {
    const char* name;
    int order;
    double zero;
  };
  // Zeros of Bessel functions (Abramowitz & Stegun 1964, table 9.5).
  constexpr DrumMode modes[] = {{"(0, 1)", 0, 2.404825558}, {"(1, 1)", 1, 3.831705970}, {"(0, 2)", 0, 5.520078110}};
  constexpr int radius = 100;
  std::vector<TheoryCheck> checks;
  for (const DrumMode& mode : modes)
    checks.push_back(relative_row(std::string("mode ") + mode.name + " of a round drum", "1/time",
                                  mode.zero / (2 * pi * radius), drum_frequency(backend, radius, mode.order, mode.zero),
                                  0.006,
                                  "c j/2πR (Rayleigh, The Theory of Sound, § 206), radius 100 cells; walls are at rest "
                                  "from their first cell on, so the drum is about 0.4 cells wider."));
  return checks;
}

}  // namespace perturb::wave
