// Numerical errors of the grid: phase speeds that depend on wavelength and direction, and reflection from an absorbing
// side, by angle.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/wave/model/scheme.h"
#include "cuda/wave/verify/verify.h"

namespace perturb::wave {

namespace {

using std::numbers::pi;

// w dt of a wave with these phases from cell to cell: sin²(w dt/2) = C² E/4, E the eigenvalue of minus the Laplacian.
double scheme_phase(Stencil stencil, double kx, double ky, double courant) {
  const auto along = [](double k) { return 4 * std::pow(std::sin(k / 2), 2); };
  return 2 * std::asin(courant * std::sqrt(wave_eigenvalue(stencil, along(kx), along(ky))) / 2);
}

// Waves of one length in three directions: (m, n) whole waves along the sides of a square, m² + n² = 25².
struct Direction {
  int m, n;
  const char* degrees;
};
constexpr Direction directions[] = {{25, 0, "0"}, {24, 7, "16.3"}, {20, 15, "36.9"}};

// The phase speed over c, measured: a standing mode oscillates with cos(w dt) = (A(t+1) + A(t-1))/(2 A(t)).
double measured_speed(Backend& backend, Stencil stencil, int length, const Direction& d, double courant) {
  const int cells = 25 * length;
  std::map<std::string, double> parameters{
      {"damping", 0}, {"time_step", courant}, {"stencil", static_cast<double>(stencil)}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    parameters[side] = as_parameter(Boundary::periodic);
  const auto tank = make_tank(backend, cells, cells, parameters);
  tank->apply({"mode", {{"m", d.m}, {"n", d.n}, {"amplitude", 1}}, "", nullptr});
  const double kx = 2 * pi * d.m / cells, ky = 2 * pi * d.n / cells;
  const auto amplitude = [&](const std::vector<double>& u) {
    double sum = 0;
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i)
        sum += u[static_cast<std::size_t>(j) * cells + i] * std::cos(kx * i) * std::cos(ky * j);
    return sum;
  };
  const std::vector<std::size_t> shape{static_cast<std::size_t>(cells), static_cast<std::size_t>(cells)};
  tank->step(length * 4);
  double before = 0, now = 0, after = 0;
  // At a zero crossing the divisor is zero; a quarter of a period later it is not.
  for (int tries = 0; tries < 4; ++tries) {
    const State state = tank->save();
    before = amplitude(state.get<double>("u_previous", shape)), now = amplitude(state.get<double>("u", shape));
    tank->step(1);
    after = amplitude(tank->save().get<double>("u", shape));
    if (std::abs(now) > 0.5 * std::max(std::abs(before), std::abs(after)) && std::abs(now) > 1) break;
    tank->step(length / 3);
  }
  return std::acos(std::clamp((before + after) / (2 * now), -1.0, 1.0)) / courant / std::hypot(kx, ky);
}

const char* word(Stencil stencil) { return stencil == Stencil::nine ? "nine" : "five"; }

}  // namespace

TheoryCheck check_phase_speed(Backend& backend, int stencil_choice, int length, int direction) {
  const auto stencil = static_cast<Stencil>(stencil_choice);
  const Direction& d = directions[direction];
  const double courant = 0.5, k = 2 * pi / length;
  const double kx = k * d.m / 25, ky = k * d.n / 25;
  const double expected = scheme_phase(stencil, kx, ky, courant) / courant / k;
  const double got = measured_speed(backend, stencil, length, d, courant);
  return {"phase speed, " + std::string(word(stencil)) + " points, " + std::to_string(length) + " cells, " + d.degrees +
              "°",
          "c",
          expected,
          got,
          std::abs(got - expected),
          1e-8,
          "sin²(w dt/2) = (c dt/dx)² E/4 of the stencil; what it lacks to 1 is the grid's error"};
}

TheoryCheck check_isotropy(Backend& backend, int stencil_choice) {
  const auto stencil = static_cast<Stencil>(stencil_choice);
  const auto spread = [&](int length) {
    return std::abs(measured_speed(backend, stencil, length, directions[2], 0.5) -
                    measured_speed(backend, stencil, length, directions[0], 0.5));
  };
  const double order = std::log2(spread(8) / spread(16)), expected = stencil == Stencil::nine ? 4 : 2;
  return {std::string("order of the difference between directions, ") + word(stencil) + " points",
          "",
          expected,
          order,
          std::abs(order - expected),
          0.15,
          "phase speeds at 0° and 36.9°, waves of 8 and of 16 cells"};
}

const std::vector<SceneSponge>& scene_sponges() {
  // The shortest waves of the moving source are those ahead, (c - v)/f, the longest those behind, (c + v)/f.
  static const std::vector<SceneSponge> sponges{
      {"slits, lens, refraction, harbour",
       {"wave/single-slit", "wave/double-slit", "wave/lens", "wave/refraction", "wave/harbour"},
       96,
       0.25,
       {20}},
      {"doppler", {"wave/doppler"}, 126, 0.17, {12, 20, 28}},
  };
  return sponges;
}

TheoryCheck check_slanted_absorption(Backend& backend, const SceneSponge& sponge, double length, double degrees) {
  // A wave packet in a channel that is periodic along the side. Its angle of incidence corresponds to one wave per
  // height.
  const double dt = 0.5, beam_width = 7.5 * length, sine = std::sin(degrees * pi / 180);
  const int height = sine > 0 ? static_cast<int>(std::lround(length / sine)) : 8;
  const int width = static_cast<int>(std::lround(10.5 * beam_width));
  const double ky = sine > 0 ? 2 * pi / height : 0, kx = std::sqrt(std::pow(2 * pi / length, 2) - ky * ky);
  const auto tank = make_tank(backend, width, height,
                              {{"damping", 0},
                               {"time_step", dt},
                               {"sponge_width", sponge.width},
                               {"sponge_strength", sponge.strength},
                               {"boundary_left", as_parameter(Boundary::absorbing)},
                               {"boundary_right", as_parameter(Boundary::absorbing)},
                               {"boundary_bottom", as_parameter(Boundary::periodic)},
                               {"boundary_top", as_parameter(Boundary::periodic)}});
  const double phase = scheme_phase(Stencil::five, kx, ky, dt);
  const double step = scheme_phase(Stencil::five, kx + 1e-4, ky, dt) - scheme_phase(Stencil::five, kx - 1e-4, ky, dt);
  const double pace = step / 2e-4;  // cells per step, along x
  State state = tank->save();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  std::vector<double> now(static_cast<std::size_t>(width) * height), before(now.size());
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const auto packet = [&](double steps) {
        const double x = i - 0.5 * width - pace * steps;
        return std::exp(-x * x / (beam_width * beam_width)) * std::cos(kx * (i - 0.5 * width) + ky * j - phase * steps);
      };
      now[static_cast<std::size_t>(j) * width + i] = packet(0),
                                                before[static_cast<std::size_t>(j) * width + i] = packet(-1);
    }
  state.put<double>("u", shape, "height", now);
  state.put<double>("u_previous", shape, "height", before);
  tank->load(state);
  // To the side and back to the middle.
  tank->step(std::lround(width / pace));
  double left_over = 0;
  for (const double value : tank->save().get<double>("u", shape)) left_over = std::max(left_over, std::abs(value));
  const double angle = std::atan2(ky, kx) * 180 / pi;
  return {"sponge of " + sponge.name + ", waves of " + format_number(length, 3) + " cells at " +
              format_number(angle, 3) + "°",
          "",
          0,
          left_over,
          left_over,
          1e-3,
          "what comes back from an absorbing side with the scene's sponge; share of the waves' amplitude"};
}

}  // namespace perturb::wave
