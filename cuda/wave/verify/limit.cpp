// Tests of the stability limit of the time step: below it nothing grows, above it something does, with any damping.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cuda/wave/verify/verify.h"

namespace perturb::wave {

namespace {

Action limit_act(std::string kind, std::map<std::string, double> numbers) {
  return {std::move(kind), std::move(numbers), "", nullptr};
}

double highest_of(const Simulation& tank, bool fp64) {
  const State state = tank.save();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(state.height), static_cast<std::size_t>(state.width)};
  double most = 0;
  const auto look_at = [&](const auto& values) {
    for (const auto value : values) {
      const double height = std::abs(static_cast<double>(value));
      most = std::isfinite(height) ? std::max(most, height) : INFINITY;
    }
  };
  fp64 ? look_at(state.get<double>("u", shape)) : look_at(state.get<float>("u", shape));
  return most;
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
    width = 1 + one_of(large ? 160 : 28), height = 1 + one_of(large ? 120 : 20);
    parameters["cell_size"] = between(0.5, 2), parameters["wave_speed"] = between(0.3, 3);
    parameters["damping"] = one_of(3) == 0 ? 0 : between(0, 2);
    parameters["damping_form"] = one_of(4) == 0 ? 1 : 0;
    parameters["sponge_width"] = one_of(2) * between(2, 20), parameters["sponge_strength"] = between(0, 2);
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
  double most = 0;
  for (int k = 0; k < looks; ++k) {
    below->step(steps / looks + k % 2);  // odd numbers too: the waves change sign at almost every step
    most = std::max(most, highest_of(*below, true));
  }
  above->step(20);
  const double before = highest_of(*above, true);
  above->step(20);
  const double growth = std::pow(highest_of(*above, true) / before, 1. / 20), root = 1.05 + std::sqrt(1.05 * 1.05 - 1);
  return {{"shortest waves at 0.98 of the limit, most in 100000 steps, " + points, "of their start", 1, most / crest,
           std::abs(most / crest - 1), 1e-3, "u = cos(w t), sin(w dt/2) = 0.98; as the gauge has the limit"},
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
