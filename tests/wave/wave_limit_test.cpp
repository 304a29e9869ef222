// What the gauge calls the limit is the limit: below it nothing grows, above it something does, whatever damps.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/backends.h"
#include "tests/wave/wave_tank.h"

namespace perturb {
namespace {

class WaveLimit : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveLimit);

double highest(const Simulation& tank) {
  double most = 0;
  const SavedSurface surface(tank);
  for (const float value : surface.values()) {
    if (!std::isfinite(value)) return INFINITY;
    most = std::max(most, std::abs(static_cast<double>(value)));
  }
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

  explicit RandomTank(unsigned seed) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto one_of = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    width = 1 + one_of(28), height = 1 + one_of(20);
    parameters["cell_size"] = between(0.5, 2), parameters["wave_speed"] = between(0.3, 3);
    parameters["damping"] = one_of(3) == 0 ? 0 : between(0, 2);
    parameters["damping_form"] = one_of(4) == 0 ? 1 : 0;
    parameters["sponge_width"] = one_of(2) * between(2, 20), parameters["sponge_strength"] = between(0, 2);
    const bool across = one_of(4) == 0, along = one_of(4) == 0;
    for (const char* side : {"boundary_left", "boundary_right"}) parameters[side] = across ? 3 : one_of(3);
    for (const char* side : {"boundary_bottom", "boundary_top"}) parameters[side] = along ? 3 : one_of(3);
    for (int k = one_of(4); k > 0; --k)
      actions.push_back(act(
          "speed-disc",
          {{"x", between(0, 1)}, {"y", between(0, 1)}, {"radius", between(0.5, 12)}, {"factor", between(0.1, 2.5)}}));
    // The bound for a map is wide where a small odd number of cells closes on itself.
    const auto closing = [](int cells) { return cells < 9 ? 2 * std::max(1, cells / 2) : cells; };
    if (!actions.empty() && across) width = closing(width);
    if (!actions.empty() && along) height = closing(height);
    if (one_of(3) == 0)
      actions.push_back(act("wall-line", {{"x0", between(0, 1)},
                                          {"y0", between(0, 1)},
                                          {"x1", between(0, 1)},
                                          {"y1", between(0, 1)},
                                          {"thickness", between(1, 4)}}));
    // Sources that swell, rest or move, up to the gauge's twice the waves' speed.
    double slowest = 1;
    for (const Action& action : actions)
      if (action.kind == "speed-disc") slowest = std::min(slowest, action.get("factor"));
    parameters["stencil"] = one_of(2);
    sources = std::max(0, one_of(6) - 2);
    for (int k = 0; k < sources; ++k) {
      const double speed = one_of(3) == 0 ? 0 : between(0, 1.9) * parameters["wave_speed"] * slowest;
      const double bearing = between(0, 6.28);
      actions.push_back(act("oscillator", {{"x", between(0, 0.999)},
                                           {"y", between(0, 0.999)},
                                           {"frequency", between(0, 0.2)},
                                           {"amplitude", between(-1, 1)},
                                           {"radius", between(0.1, 3)},
                                           {"vx", speed * std::cos(bearing)},
                                           {"vy", speed * std::sin(bearing)}}));
    }
    for (int k = 0; k < width * height; ++k) start.push_back(static_cast<float>(between(-1, 1)));
  }

  std::unique_ptr<Simulation> at(Backend& backend, double share) const {
    auto with_step = parameters;
    // With the one-sided term the limit depends on the step itself: a few rounds find it.
    double step = 0.01;
    for (int k = 0; k < 40; ++k) {
      with_step["time_step"] = step;
      const auto tank = wave_tank(backend, width, height, with_step);
      for (const Action& action : actions) tank->apply(action);
      const Gauge gauge = tank->gauges()[0];
      if (gauge.limit > 1000 || gauge.value <= 0) return nullptr;  // nothing moves here
      const double next = step * share * gauge.limit / gauge.value;
      if (std::abs(next / step - 1) < 1e-9) break;
      step = std::min(10.0, 0.5 * (step + next));
    }
    const auto made = [&] {
      auto tank = wave_tank(backend, width, height, with_step);
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
    state.put("u", {static_cast<std::size_t>(height), static_cast<std::size_t>(width)}, "height", u);
    state.put("u_previous", {static_cast<std::size_t>(height), static_cast<std::size_t>(width)}, "height", u);
    tank->load(state);
    return tank;
  }
  std::string name(unsigned seed) const {
    std::string text = "seed " + std::to_string(seed) + ": " + std::to_string(width) + " x " + std::to_string(height);
    for (const auto& [id, value] : parameters) text += ", " + id + " " + std::to_string(value);
    for (const Action& action : actions) text += ", " + action.kind;
    return text;
  }
};

TEST_P(WaveLimit, NothingGrowsBelowItAndSomethingDoesAboveIt) {
  int tried = 0, grown = 0;
  for (unsigned seed = 1; seed <= 80; ++seed) {
    const RandomTank random(seed);
    if (const auto below = random.at(backend(), 0.98)) {
      below->step(100000);
      // At a step near the limit the height of the shortest waves swings by 1/sqrt(1 - 0.98²) = 5 about its energy, and
      // free and periodic tanks let the mean drift; what grows has grown beyond any bound by now.
      EXPECT_LT(highest(*below), 1000) << random.name(seed);
      ++tried;
    }
    if (random.sources > 0) continue;  // what is held bears more: it may be all that would grow
    if (const auto above = random.at(backend(), 1.05)) {
      above->step(20000);
      EXPECT_GT(highest(*above), 1e10) << random.name(seed);
      ++grown;
    }
  }
  EXPECT_GT(tried, 60);
  EXPECT_GT(grown, 25);
}

// Amber before the limit, red beyond it, green where the presets are.
TEST_P(WaveLimit, TurnsAmberBeforeAndRedBeyond) {
  const auto level = [&](double share) {
    return wave_tank(backend(), 64, 64, {{"time_step", share * std::sqrt(0.5)}})->gauges()[0].level();
  };
  EXPECT_EQ(level(0.96), Gauge::Level::good);
  EXPECT_EQ(level(0.98), Gauge::Level::near);
  EXPECT_EQ(level(1.01), Gauge::Level::at);
}

// A source that outruns its waves pumps water that is closed in, whatever the time step: a gauge says so.
TEST_P(WaveLimit, KnowsASourceThatOutrunsItsWaves) {
  const auto tank = wave_tank(backend(), 64, 64, {{"wave_speed", 0.5}});
  EXPECT_EQ(tank->gauges().size(), 1u);
  const auto levels = [&](double speed) {
    tank->apply(act("remove-sources"));
    tank->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}, {"vx", 0.6 * speed}, {"vy", 0.8 * speed}}));
    return tank->gauges().at(1).level();
  };
  EXPECT_EQ(levels(0.45), Gauge::Level::good);
  EXPECT_EQ(levels(0.55), Gauge::Level::near);
  EXPECT_EQ(levels(1.05), Gauge::Level::at);
}

// Damping, a sponge and absorbing sides take energy at any time step.
TEST_P(WaveLimit, DampingMovesNoLimit) {
  auto parameters = all_sides(WaveBoundary::absorbing);
  parameters["time_step"] = 0.65, parameters["sponge_width"] = 32, parameters["sponge_strength"] = 2;
  parameters["damping"] = 2;
  const auto tank = wave_tank(backend(), 192, 96, parameters);
  EXPECT_NEAR(tank->gauges()[0].limit, std::sqrt(0.5), 1e-9);
  tank->apply(act("oscillator", {{"x", 0.15}, {"y", 0.5}, {"frequency", 0.04}, {"amplitude", 0.2}, {"vx", 0.4}}));
  tank->apply(act("droplet", {{"x", 0.9}, {"y", 0.9}, {"amplitude", 1}}));
  tank->step(20000);
  EXPECT_LT(highest(*tank), 1);
}

TEST_P(WaveLimit, SpongeOfTheDopplerSceneHoldsAtALargeStep) {
  auto parameters = all_sides(WaveBoundary::absorbing);
  parameters["time_step"] = 0.65, parameters["damping"] = 0.0005, parameters["sponge_width"] = 32;
  const auto tank = wave_tank(backend(), 192, 96, parameters);
  tank->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}, {"frequency", 0.04}, {"amplitude", 0.2}, {"radius", 3}}));
  tank->step(20000);
  EXPECT_LT(highest(*tank), 1);
}

// Fast water in a few cells bears a larger step than 1/√2 of it, and the gauge knows.
TEST_P(WaveLimit, KnowsFastWaterInFewCells) {
  const auto tank = wave_tank(backend(), 64, 64, {{"time_step", 0.3}, {"damping", 0}});
  tank->apply(act("speed-disc", {{"x", 32.5 / 64}, {"y", 32.5 / 64}, {"radius", 0.6}, {"factor", 2}}));
  const Gauge gauge = tank->gauges()[0];
  EXPECT_DOUBLE_EQ(gauge.value, 0.6);
  // One cell of speed 2 in water of 1: λ a little above 16 + 4·4·1/(16 - 4), where even water of speed 2 has 32.
  EXPECT_GT(gauge.limit, 0.9);
  EXPECT_LT(gauge.limit, 1.0);
}

// A moment brings its speed map back, and so its limit, whatever was painted and asked for in between.
TEST_P(WaveLimit, ComesBackWithItsSpeedMap) {
  const auto tank = wave_tank(backend(), 64, 64, {{"time_step", 0.3}, {"damping", 0}});
  tank->apply(act("speed-disc", {{"x", 32.5 / 64}, {"y", 32.5 / 64}, {"radius", 0.6}, {"factor", 2}}));
  const double limit = tank->gauges()[0].limit;
  const auto moment = tank->keep();
  tank->apply(act("speed-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", 2}}));
  ASSERT_LT(tank->gauges()[0].limit, 0.9 * limit);
  tank->come_back(*moment);
  EXPECT_EQ(tank->gauges()[0].limit, limit);
}

}  // namespace
}  // namespace perturb
