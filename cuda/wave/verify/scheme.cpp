// Checks of the scheme: numerical errors of the grid (phase speeds that depend on wavelength and direction, reflection
// from an absorbing side by angle), and the stability limit of the time step.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/wave/model/step_params.h"
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
    before = amplitude(state.get<double>("u_previous", shape));
    now = amplitude(state.get<double>("u", shape));
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
          "sin²(w dt/2) = (c dt/dx)² E/4 of the stencil; the difference from 1 is the error of the grid"};
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
      now[static_cast<std::size_t>(j) * width + i] = packet(0);
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
          "reflection of an absorbing side with the scene's sponge; fraction of the amplitude of the waves"};
}

// ---- the stability limit of the time step: below it nothing grows, above it something does, with any damping.

namespace {

Action limit_act(std::string kind, std::map<std::string, double> numbers) {
  return {std::move(kind), std::move(numbers), "", nullptr};
}

double highest_of(const Simulation& tank, bool fp64) {
  const State state = tank.save();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(state.height), static_cast<std::size_t>(state.width)};
  double max_height = 0;
  const auto look_at = [&](const auto& values) {
    for (const auto value : values) {
      const double height = std::abs(static_cast<double>(value));
      max_height = std::isfinite(height) ? std::max(max_height, height) : INFINITY;
    }
  };
  fp64 ? look_at(state.get<double>("u", shape)) : look_at(state.get<float>("u", shape));
  return max_height;
}

// A tank of random size, sides, damping, sponge and speed map, with waves of all lengths in it, at
// `share` of its gauge's limit.
struct RandomTank {
  int width, height;
  int sources = 0;
  std::map<std::string, double> parameters;
  std::vector<Action> actions;
  std::vector<float> start;

  bool large = false;  // every fourth

  explicit RandomTank(unsigned seed) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto one_of = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    large = seed % 4 == 0;
    width = 1 + one_of(large ? 160 : 28);
    height = 1 + one_of(large ? 120 : 20);
    parameters["cell_size"] = between(0.5, 2);
    parameters["wave_speed"] = between(0.3, 3);
    parameters["damping"] = one_of(3) == 0 ? 0 : between(0, 2);
    parameters["damping_form"] = one_of(4) == 0 ? 1 : 0;
    parameters["sponge_width"] = one_of(2) * between(2, 20);
    parameters["sponge_strength"] = between(0, 2);
    const bool across = one_of(4) == 0, along = one_of(4) == 0;
    for (const char* side : {"boundary_left", "boundary_right"}) parameters[side] = across ? 3 : one_of(3);
    for (const char* side : {"boundary_bottom", "boundary_top"}) parameters[side] = along ? 3 : one_of(3);
    for (int k = one_of(4); k > 0; --k)
      actions.push_back(limit_act(
          "speed-disc",
          {{"x", between(0, 1)}, {"y", between(0, 1)}, {"radius", between(0.5, 12)}, {"factor", between(0.05, 4)}}));
    // The bound for a map is loose on a periodic side with a small odd number of cells (README.md), so such sides are
    // avoided.
    const auto closing = [](int cells) { return cells < 9 ? 2 * std::max(1, cells / 2) : cells; };
    if (!actions.empty() && across) width = closing(width);
    if (!actions.empty() && along) height = closing(height);
    if (one_of(3) == 0)
      actions.push_back(limit_act("wall-line", {{"x0", between(0, 1)},
                                                {"y0", between(0, 1)},
                                                {"x1", between(0, 1)},
                                                {"y1", between(0, 1)},
                                                {"thickness", between(1, 4)}}));
    // Sources with a ramp, at rest or moving, up to the gauge's limit of twice the wave speed.
    double slowest = 1;
    for (const Action& action : actions)
      if (action.kind == "speed-disc") slowest = std::min(slowest, action.get("factor"));
    parameters["stencil"] = one_of(2);
    sources = std::max(0, one_of(6) - 2);
    // Any time step carries frequencies below c/(pi dx).
    const double highest = std::min(0.2, 0.3 * parameters["wave_speed"] / parameters["cell_size"]);
    for (int k = 0; k < sources; ++k) {
      const double speed = one_of(3) == 0 ? 0 : between(0, 1.9) * parameters["wave_speed"] * slowest;
      const double bearing = between(0, 6.28);
      actions.push_back(limit_act("oscillator", {{"x", between(0, 0.999)},
                                                 {"y", between(0, 0.999)},
                                                 {"frequency", between(0, highest)},
                                                 {"amplitude", between(-1, 1)},
                                                 {"radius", between(0.1, 3)},
                                                 {"vx", speed * std::cos(bearing)},
                                                 {"vy", speed * std::sin(bearing)}}));
    }
    for (int k = 0; k < width * height; ++k) start.push_back(static_cast<float>(between(-1, 1)));
  }

  std::unique_ptr<Simulation> at(Backend& backend, double share, bool fp64) const {
    auto with_step = parameters;
    // With the one-sided term, the limit depends on the step itself, so it is found by iteration.
    double step = 0.01;
    for (int k = 0; k < 40; ++k) {
      with_step["time_step"] = step;
      const auto tank = make_tank(backend, width, height, with_step, fp64);
      for (const Action& action : actions) tank->apply(action);
      const Gauge gauge = tank->gauges()[0];
      if (gauge.limit > 1000 || gauge.value <= 0) return nullptr;  // nothing moves here
      const double next = step * share * gauge.limit / gauge.value;
      if (std::abs(next / step - 1) < 1e-9) break;
      step = std::min(10.0, 0.5 * (step + next));
    }
    const auto made = [&] {
      auto tank = make_tank(backend, width, height, with_step, fp64);
      for (const Action& action : actions) tank->apply(action);
      return tank;
    };
    auto tank = made();
    if (std::abs(tank->gauges()[0].value / tank->gauges()[0].limit - share) > 1e-6) return nullptr;  // no such step
    State state = tank->save();
    std::vector<float> u = start;
    if (state.has("wall")) {
      const auto wall =
          state.get<std::uint8_t>("wall", {static_cast<std::size_t>(height), static_cast<std::size_t>(width)});
      for (std::size_t k = 0; k < u.size(); ++k)
        if (wall[k]) u[k] = 0;
    }
    const std::vector<std::size_t> shape{static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
    for (const char* name : {"u", "u_previous"})
      fp64 ? state.put(name, shape, "height", std::vector<double>(u.begin(), u.end()))
           : state.put(name, shape, "height", u);
    tank->load(state);
    return tank;
  }
};

}  // namespace

std::vector<TheoryCheck> check_limit(Backend& backend, int stencil) {
  // The shortest waves between fixed sides, starting at rest: u(t) = cos(w t), sin(w dt/2) = s, where s is the time
  // step as a share of the limit. Beyond the limit w dt = pi + i mu, cosh(mu/2) = s: each step multiplies by exp(mu).
  constexpr int width = 31, height = 20;
  const auto at = [&](double share) {
    const auto made = [&](double time_step) {
      return make_tank(backend, width, height, {{"damping", 0}, {"time_step", time_step}, {"stencil", stencil * 1.0}});
    };
    const Gauge gauge = made(0.1)->gauges()[0];
    auto tank = made(0.1 * share * gauge.limit / gauge.value);
    tank->apply(limit_act("mode", {{"m", width}, {"n", height}, {"amplitude", 1}}));
    return tank;
  };
  const std::string points = stencil == 1 ? "nine points" : "five points";
  const auto below = at(0.98), above = at(1.05);
  const double crest = highest_of(*below, true);
  constexpr int steps = 100000, looks = 200;
  double max_height = 0;
  for (int k = 0; k < looks; ++k) {
    below->step(steps / looks + k % 2);  // odd numbers too: the waves change sign at almost every step
    max_height = std::max(max_height, highest_of(*below, true));
  }
  above->step(20);
  const double before = highest_of(*above, true);
  above->step(20);
  const double growth = std::pow(highest_of(*above, true) / before, 1. / 20), root = 1.05 + std::sqrt(1.05 * 1.05 - 1);
  return {
      {"shortest waves at 0.98 of the limit, most in 100000 steps, " + points, "of their start", 1, max_height / crest,
       std::abs(max_height / crest - 1), 1e-3, "u = cos(w t), sin(w dt/2) = 0.98; with the limit of the gauge"},
      {"shortest waves at 1.05 of the limit, growth a step, " + points, "", root * root, growth,
       std::abs(growth / (root * root) - 1), 1e-9, "exp(mu), cosh(mu/2) = 1.05; relative"}};
}

std::vector<TheoryCheck> check_random_limits(Backend& backend, int tanks, int steps, bool fp64) {
  int below = 0, stay = 0, above = 0, grow = 0;
  std::string others;  // seeds of the exceptions
  for (unsigned seed = 1; seed <= static_cast<unsigned>(tanks); ++seed) {
    const RandomTank random(seed);
    if (const auto tank = random.at(backend, 0.98, fp64)) {
      const int all = random.large ? steps / 20 : steps;  // the same number of cell updates as for a small one
      // Waves of all lengths are present from the start, so a growing mode is excited and visible in every check. A
      // tank at rest without sources has no growing mode.
      constexpr int looks = 10;
      constexpr double still = 1e-6;
      for (int look = 0; look < looks; ++look) {
        tank->step(all / looks);
        if (random.sources == 0 && highest_of(*tank, fp64) < still) break;
      }
      // Near the limit, the height of the shortest waves oscillates by a factor 1/sqrt(1 - 0.98²) = 5 relative to its
      // energy, and the mean drifts in free and periodic tanks. A growing mode has exceeded any bound by now.
      ++below;
      if (highest_of(*tank, fp64) < 1000)
        ++stay;
      else
        others += " " + std::to_string(seed);
    }
    if (random.sources > 0) continue;  // held cells raise the limit, and may be the only ones that would grow
    if (const auto tank = random.at(backend, 1.05, fp64)) {
      tank->step(random.large ? 2000 : 20000);
      ++above;
      if (highest_of(*tank, fp64) > 1e10)
        ++grow;
      else
        others += " " + std::to_string(seed);
    }
  }
  std::string note =
      "of any size, stencil, sides, damping, sponge, walls, sources and speed map; energy falls, or the scheme has a "
      "root below -1 (README.md)";
  if (!others.empty()) note += "; not so with seed" + others;
  const std::string precision = fp64 ? ", FP64" : ", FP32";
  return {{"random tanks that stay bounded at 0.98 of their limit" + precision, "tanks", 1.0 * below, 1.0 * stay,
           1.0 * (below - stay), 0, note},
          {"random tanks that grow at 1.05 of their limit" + precision, "tanks", 1.0 * above, 1.0 * grow,
           1.0 * (above - grow), 0, note}};
}

}  // namespace perturb::wave
