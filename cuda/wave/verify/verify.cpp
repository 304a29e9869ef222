// Checks of the wave tank against theory. Every check uses the public interface of the simulation, so it holds for the
// kernel and backend that the program would use.
#include "cuda/wave/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace perturb::wave {

namespace {

using std::numbers::pi;

// Returns a field of a state, in either precision.
std::vector<double> field_of(const State& state, const std::string& name) {
  const Dataset& dataset = state.datasets.at(name);
  if (dataset.type == ElementType::float64) return state.get<double>(name, dataset.shape);
  const std::vector<float> values = state.get<float>(name, dataset.shape);
  return {values.begin(), values.end()};
}
std::vector<double> height_of(const Simulation& tank) { return field_of(tank.save(), "u"); }

Action act(std::string kind, std::map<std::string, double> numbers) {
  return {std::move(kind), std::move(numbers), "", nullptr};
}

// Adds the pulse exp(-(x/s)²)·cos(wavenumber·x) at `center`, travelling to the right; the same in every row.
void send_pulse(Simulation& tank, int width, int height, double center, double s, double courant,
                double wavenumber = 0) {
  const auto pulse = [&](double x) { return std::exp(-(x / s) * (x / s)) * std::cos(wavenumber * x); };
  State state = tank.save();
  std::vector<double> now(static_cast<std::size_t>(width) * height), before(now.size());
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const std::size_t k = static_cast<std::size_t>(j) * width + i;
      now[k] = pulse(i - center);
      before[k] = pulse(i - center + courant);
    }
  const std::vector<std::size_t> shape{static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  state.put<double>("u", shape, "height", now);
  state.put<double>("u_previous", shape, "height", before);
  tank.load(state);
}

// The sides under test along x, and free sides along y, which do not affect a plane wave.
std::map<std::string, double> channel(Boundary left, Boundary right, double time_step) {
  return {{"damping", 0},
          {"time_step", time_step},
          {"boundary_left", as_parameter(left)},
          {"boundary_right", as_parameter(right)},
          {"boundary_bottom", as_parameter(Boundary::free)},
          {"boundary_top", as_parameter(Boundary::free)}};
}

// The value of largest magnitude in columns [begin, end) of the bottom row.
double extreme(const std::vector<double>& field, int begin, int end) {
  double found = 0;
  for (int i = begin; i < end; ++i)
    if (std::abs(field[static_cast<std::size_t>(i)]) > std::abs(found)) found = field[static_cast<std::size_t>(i)];
  return found;
}

TheoryCheck row(std::string name, std::string unit, double expected, double got, double error, double tolerance,
                std::string note) {
  return {std::move(name), std::move(unit), expected, got, error, tolerance, std::move(note)};
}

}  // namespace

TheoryCheck check_standing_mode(Backend& backend, bool fp64) {
  const int width = 95, height = 63, m = 3, n = 4, steps = 1000;
  const double dt = 0.5, amplitude = 1;
  const auto tank = make_tank(backend, width, height, {{"damping", 0}, {"time_step", dt}}, fp64);
  tank->apply(act("mode", {{"m", m}, {"n", n}, {"amplitude", amplitude}}));
  tank->step(steps);
  // sin²(w dt/2) = (c dt/dx)² (sin²(kx dx/2) + sin²(ky dx/2))
  const double kx = pi * m / (width + 1), ky = pi * n / (height + 1);
  const double w = 2 / dt * std::asin(dt * std::sqrt(std::pow(std::sin(kx / 2), 2) + std::pow(std::sin(ky / 2), 2)));
  const double swing = std::cos(w * dt * steps);
  const std::vector<double> u = height_of(*tank);
  double worst = 0, projection = 0;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const double shape = std::sin(kx * (i + 1)) * std::sin(ky * (j + 1));
      const double value = u[static_cast<std::size_t>(j) * width + i];
      worst = std::max(worst, std::abs(value - amplitude * swing * shape));
      projection += value * shape * 4 / ((width + 1) * (height + 1));
    }
  // The scheme sums the rounding errors of single steps twice: they grow about as steps^1.5 times the precision.
  return row(fp64 ? "standing mode after 1000 steps, fp64" : "standing mode after 1000 steps, fp32", "height", swing,
             projection, worst, fp64 ? 1e-11 : 2e-3, "frequency of the scheme; error: the worst cell, absolute");
}

TheoryCheck check_convergence(Backend& backend) {
  // The same tank and time with cells of half the size. The exact mode is cos(w t) sin sin with w = c |k|.
  const int m = 2, n = 3;
  const double length = 32, end = 20;
  double errors[3];
  for (int level = 0; level < 3; ++level) {
    const int cells = 32 << level;
    const double dx = length / cells, dt = 0.5 * dx;
    const auto tank = make_tank(backend, cells - 1, cells - 1, {{"damping", 0}, {"time_step", dt}, {"cell_size", dx}});
    tank->apply(act("mode", {{"m", m}, {"n", n}, {"amplitude", 1}}));
    const int steps = static_cast<int>(std::lround(end / dt));
    tank->step(steps);
    const double swing = std::cos(pi / length * std::hypot(m, n) * steps * dt);
    const std::vector<double> u = height_of(*tank);
    double sum = 0;
    for (int j = 0; j < cells - 1; ++j)
      for (int i = 0; i < cells - 1; ++i) {
        const double exact = swing * std::sin(pi * m * (i + 1) / cells) * std::sin(pi * n * (j + 1) / cells);
        sum += std::pow(u[static_cast<std::size_t>(j) * (cells - 1) + i] - exact, 2);
      }
    errors[level] = std::sqrt(sum) / cells;
  }
  const double order = std::log2(errors[1] / errors[2]);
  return row("order of convergence", "", 2, order, std::abs(order - 2), 0.05,
             "error against the exact standing mode, dx and dt halved together");
}

namespace {

// The envelope of a damped mode at time `end`, as a share of its start.
double damped_envelope(Backend& backend, double k, double dt, double end, Damping form) {
  const int cells = 63;
  const auto tank = make_tank(backend, cells, cells,
                              {{"damping", k}, {"time_step", dt}, {"damping_form", static_cast<double>(form)}});
  tank->apply(act("mode", {{"m", 3}, {"n", 3}, {"amplitude", 1}}));
  const double half = std::sin(pi * 3 / (cells + 1) / 2);
  // The mode's amplitude A obeys A(t+1) = p A(t) - q A(t-1); then A(t)² - p A(t) A(t-1) + q
  // A(t-1)² shrinks by q each step.
  const bool centred = form == Damping::centred;
  const double divisor = centred ? 1 + k * dt / 2 : 1;
  const double q = (centred ? 1 - k * dt / 2 : 1 - k * dt) / divisor;
  const double p = (2 - (centred ? 0 : k * dt) - 4 * dt * dt * 2 * half * half) / divisor;
  const auto invariant = [&] {
    const State state = tank->save();
    const auto project = [&](const std::vector<double>& field) {
      double sum = 0;
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i)
          sum += field[static_cast<std::size_t>(j) * cells + i] * std::sin(pi * 3 * (i + 1) / (cells + 1)) *
                 std::sin(pi * 3 * (j + 1) / (cells + 1));
      return sum * 4 / ((cells + 1) * (cells + 1));
    };
    const double a = project(field_of(state, "u")), b = project(field_of(state, "u_previous"));
    return a * a - p * a * b + q * b * b;
  };
  const double before = invariant();
  tank->step(std::lround(end / dt));
  return std::sqrt(invariant() / before);
}

}  // namespace

TheoryCheck check_damping(Backend& backend) {
  const double k = 0.02, dt = 0.25, end = 100;
  const double expected = std::exp(-k * end / 2), got = damped_envelope(backend, k, dt, end, Damping::centred);
  // A step multiplies by sqrt((1 - h)/(1 + h)) = exp(-h - h³/3 - ...) with h = k dt/2: off by k³ t dt²/24.
  return row("damping of a mode", "", expected, got, std::abs(got / expected - 1),
             1.05 * k * k * k * end * dt * dt / 24,
             "amplitude falls as exp(-k t/2); relative error, of second order in dt");
}

TheoryCheck check_damping_order(Backend& backend, bool one_sided) {
  const Damping form = one_sided ? Damping::one_sided : Damping::centred;
  const double k = 0.02, end = 100, exact = std::exp(-k * end / 2);
  const double coarse = std::abs(damped_envelope(backend, k, 0.4, end, form) - exact);
  const double fine = std::abs(damped_envelope(backend, k, 0.2, end, form) - exact);
  const double order = std::log2(coarse / fine);
  const double expected = one_sided ? 1 : 2;
  return row(one_sided ? "order of one-sided damping in dt" : "order of the damping in dt", "", expected, order,
             std::abs(order - expected), 0.05, one_sided ? "the source's term" : "u_t in central differences");
}

TheoryCheck check_symmetry(Backend& backend) {
  const int n = 101;
  const auto tank = make_tank(backend, n, n, {{"time_step", 0.5}}, false);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  tank->step(500);
  const State state = tank->save();
  const std::vector<float> u = state.get<float>("u", {static_cast<std::size_t>(n), static_cast<std::size_t>(n)});
  const auto at = [&](int i, int j) { return u[static_cast<std::size_t>(j) * n + i]; };
  double unequal = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (at(i, j) != at(n - 1 - i, j) || at(i, j) != at(i, n - 1 - j) || at(i, j) != at(j, i)) unequal += 1;
  return row("cells that break the symmetry", "cells", 0, unequal, unequal, 0,
             "a droplet in the middle, 500 steps: mirrored left-right, up-down and diagonally, bit for bit");
}

TheoryCheck check_energy(Backend& backend, int sides, bool nine_points) {
  std::map<std::string, double> parameters{{"damping", 0}, {"time_step", 0.5}, {"stencil", nine_points ? 1 : 0}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    parameters[side] = sides;
  const auto tank = make_tank(backend, 120, 90, parameters);
  // With a wall and slower water, which conserve the energy too.
  tank->apply(act("wall-line", {{"x0", 0.2}, {"y0", 0.3}, {"x1", 0.4}, {"y1", 0.8}, {"thickness", 3}}));
  tank->apply(act("speed-disc", {{"x", 0.7}, {"y", 0.4}, {"radius", 20}, {"factor", 0.6}}));
  tank->apply(act("droplet", {{"x", 0.55}, {"y", 0.45}, {"radius", 4}, {"amplitude", 1}}));
  const auto energy = [&] {
    for (const Scalar& scalar : tank->diagnostics({}, true).scalars)
      if (scalar.id == "energy") return scalar.value;
    return 0.0;
  };
  tank->step(1);
  const double before = energy();
  double worst = 0, last = before;
  for (int k = 0; k < 20; ++k) {
    tank->step(50);
    last = energy();
    worst = std::max(worst, std::abs(last / before - 1));
  }
  const char* names[] = {"fixed", "free", "absorbing", "periodic"};
  return row(std::string("discrete energy, ") + names[sides] + " sides" + (nine_points ? ", nine points" : ""),
             "height²/time²", before, last, worst, 1e-11,
             "k = 0, over 1000 steps, with a wall and slower water; relative");
}

TheoryCheck check_absorption(Backend& backend, bool sponge) {
  const int width = 600, height = 8;
  const double dt = 0.5;
  auto parameters = channel(Boundary::absorbing, Boundary::absorbing, dt);
  if (sponge) parameters["sponge_width"] = 32;
  const auto tank = make_tank(backend, width, height, parameters);
  // The side alone absorbs a pulse of any shape. The sponge damps u_t and retains a nonzero mean, so it is tested with
  // waves.
  if (sponge)
    send_pulse(*tank, width, height, 300, 30, dt, 2 * pi / 20);
  else
    send_pulse(*tank, width, height, 300, 12, dt);
  // From the middle to the right side and back: 600 lengths, 1200 steps.
  tank->step(1200);
  const double left_over = std::abs(extreme(height_of(*tank), 0, width));
  return row(sponge ? "reflection of an absorbing side with sponge" : "reflection of an absorbing side", "", 0,
             left_over, left_over, 0.01,
             sponge ? "plane waves 20 cells long at normal incidence; fraction of their amplitude"
                    : "a plane pulse exp(-(x/12 cells)²) at normal incidence; fraction of its amplitude");
}

TheoryCheck check_reflection(Backend& backend, bool free_side) {
  const int width = 600, height = 8;
  const double dt = 0.5;
  const auto tank =
      make_tank(backend, width, height, channel(Boundary::absorbing, free_side ? Boundary::free : Boundary::fixed, dt));
  send_pulse(*tank, width, height, 300, 12, dt);
  tank->step(1200);
  const double expected = free_side ? 1 : -1, got = extreme(height_of(*tank), 100, 500);
  // The difference is due to the scheme's dispersion, which widens the pulse slightly.
  return row(free_side ? "pulse reflected by a free side" : "pulse reflected by a fixed side", "", expected, got,
             std::abs(got - expected), 0.02, "fraction of its amplitude");
}

TheoryCheck check_speed_step(Backend& backend) {
  const int width = 800, height = 8;
  const double dt = 0.5;
  const auto tank = make_tank(backend, width, height, channel(Boundary::absorbing, Boundary::absorbing, dt));
  tank->apply(act("speed-rectangle", {{"x0", 0.5}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", 0.5}}));
  send_pulse(*tank, width, height, 250, 16, dt);
  tank->step(600);  // 150 lengths to the step, and 150 back
  const double got = extreme(height_of(*tank), 150, 350);
  return row("pulse reflected by slower water", "", -1.0 / 3, got, std::abs(got + 1.0 / 3), 0.005,
             "c falls by half: (c2 - c1)/(c2 + c1)");
}

TheoryCheck check_doppler(Backend& backend, bool ahead) {
  const int width = 600, height = 201;
  std::map<std::string, double> parameters{{"time_step", 0.5}, {"damping", 0}, {"sponge_width", 32}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    parameters[side] = as_parameter(Boundary::absorbing);
  const auto tank = make_tank(backend, width, height, parameters);
  const double frequency = 0.04, speed = 0.4;
  tank->apply(
      act("oscillator",
          {{"x", 0.25}, {"y", 0.5}, {"frequency", frequency}, {"amplitude", 0.2}, {"radius", 3}, {"vx", speed}}));
  tank->step(700);
  const double got = tank->diagnostics({}, true).number(ahead ? "wavelength_ahead" : "wavelength_behind");
  const double expected = (ahead ? 1 - speed : 1 + speed) / frequency;
  const std::string name = ahead ? "wavelength ahead of a source at 0.4 c" : "wavelength behind a source at 0.4 c";
  return row(name, "length", expected, got, std::abs(got / expected - 1), 0.015,
             "(c - v)/f and (c + v)/f, relative; waves of 15 cells travel 0.6 % slower than c on the grid");
}

TheoryCheck check_wedge(Backend& backend) {
  std::map<std::string, double> parameters{
      {"time_step", 0.5}, {"damping", 0}, {"sponge_width", 32}, {"wave_speed", 0.3}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    parameters[side] = as_parameter(Boundary::absorbing);
  const auto tank = make_tank(backend, 700, 501, parameters);
  tank->apply(act("oscillator",
                  {{"x", 0.12}, {"y", 0.5}, {"frequency", 0.004}, {"amplitude", 0.2}, {"radius", 4}, {"vx", 0.6}}));
  tank->step(1700);
  const double got = tank->diagnostics({}, true).number("wedge_angle");
  return row("wedge of a source at twice the speed", "°", 30, got, std::abs(got - 30), 0.5,
             "asin(c/v); absolute. Waves at the wedge are as short as the source: faster ones are slower on the grid.");
}

TheoryCheck check_kernel(Backend& backend, const std::string& kernel) {
  const auto run = [&](const std::string& id) {
    const auto tank = make_tank(backend, 300, 200,
                                {{"time_step", 0.5},
                                 {"rain_rate", 0.2},
                                 {"boundary_left", as_parameter(Boundary::absorbing)},
                                 {"boundary_top", as_parameter(Boundary::free)}},
                                false);
    tank->apply(act("wall-line", {{"x0", 0.3}, {"y0", 0.1}, {"x1", 0.5}, {"y1", 0.8}, {"thickness", 5}}));
    tank->apply(act("speed-disc", {{"x", 0.7}, {"y", 0.4}, {"radius", 40}, {"factor", 0.6}}));
    tank->apply(act("oscillator", {{"x", 0.6}, {"y", 0.5}, {"vx", 0.2}}));
    tank->apply(act("droplet", {{"x", 0.2}, {"y", 0.4}}));
    tank->select_kernel(id);
    tank->step(157);
    return tank->save();
  };
  const double difference = largest_difference(run("fused"), run(kernel));
  return row("kernel " + kernel + " against fused", "height", 0, difference, difference, 0,
             "walls, speed map, rain, a moving source, three kinds of sides; 157 steps, bit for bit");
}

std::vector<TheoryCheck> verify(Backend& backend, bool with_long) {
  std::vector<TheoryCheck> checks{
      check_standing_mode(backend, true),
      check_standing_mode(backend, false),
      check_convergence(backend),
      check_damping(backend),
      check_damping_order(backend, false),
      check_damping_order(backend, true),
      check_symmetry(backend),
      check_energy(backend, 0),
      check_energy(backend, 1),
      check_energy(backend, 3),
      check_energy(backend, 0, true),
      check_absorption(backend, false),
      check_absorption(backend, true),
      check_reflection(backend, false),
      check_reflection(backend, true),
      check_speed_step(backend),
      check_doppler(backend, true),
      check_doppler(backend, false),
      check_wedge(backend),
      check_refraction(backend),
      check_lens_rays(),
      check_focus(backend),
  };
  for (const TheoryCheck& check : check_mode_frequencies(backend)) checks.push_back(check);
  for (const TheoryCheck& check : check_drum(backend)) checks.push_back(check);
  for (const TheoryCheck& check : check_slits(backend)) checks.push_back(check);
  for (const SceneSponge& sponge : scene_sponges())
    for (const double length : sponge.wavelengths)
      for (const double degrees : {0, 15, 30, 45, 60})
        checks.push_back(check_slanted_absorption(backend, sponge, length, degrees));
  for (const int stencil : {0, 1}) {
    for (const int length : {6, 12})
      for (const int direction : {0, 1, 2}) checks.push_back(check_phase_speed(backend, stencil, length, direction));
    checks.push_back(check_isotropy(backend, stencil));
  }
  for (const int stencil : {0, 1})
    for (const TheoryCheck& check : check_limit(backend, stencil)) checks.push_back(check);
  // The longer run takes a minute or two.
  for (const bool fp64 : {false, true})
    for (const TheoryCheck& check : check_random_limits(backend, with_long ? 80 : 12, with_long ? 100000 : 20000, fp64))
      checks.push_back(check);
  for (const KernelVariant& kernel : wave_simulation().kernels)
    if (kernel.id != "fused" && (backend.is_cuda() ? kernel.on_cuda : kernel.on_cpu))
      checks.push_back(check_kernel(backend, kernel.id));
  return checks;
}

}  // namespace perturb::wave
