// Readings of the gas, walls with a temperature, gravity and restitution: bit for bit against the sequential queue, and
// against theory.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/particles/measure/theory.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/verify/event_reference.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::particles {
namespace {

class ParticlesThermostat : public ExactDiscsOnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesThermostat);

std::map<std::string, double> heated_box(double walls) {
  return {{"temperature_left", walls},
          {"temperature_right", walls},
          {"temperature_floor", walls},
          {"temperature_ceiling", walls}};
}

// ---- readings

TEST_P(ParticlesThermostat, ReadingsFollowTheEquationOfStateAtSeveralDensities) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const double fraction : {0.05, 0.2, 0.4}) {
    SCOPED_TRACE(fraction);
    const double discs = 1000, side = std::sqrt(discs * std::numbers::pi / fraction);
    const auto run = make({{"count", discs}, {"box", side}, {"velocity_max", 1}, {"velocities", 1}});
    run->step(1070);
    const Diagnostics d = run->diagnostics({}, true);
    EXPECT_NEAR(scalar(d, "temperature"), scalar(d, "energy") / discs, 1e-12);
    EXPECT_NEAR(scalar(d, "volume"), side * side, 1e-9 * side * side);
    EXPECT_EQ(scalar(d, "pressure_time"), 1070) << "all steps so far";
    const double ratio = scalar(d, "pressure") * scalar(d, "volume") / (discs * scalar(d, "temperature"));
    EXPECT_NEAR(scalar(d, "pv_nt"), ratio, 1e-9 * ratio);
    // Each wall collision gives between 0 and a few times the mean: the error of a sum of n is about 0.5/√n.
    const double hits = scalar(d, "wall_collisions") * scalar(d, "pressure_time");
    EXPECT_GT(hits, 2000);
    EXPECT_NEAR(ratio, scalar(d, "pv_nt_theory"), 4 * 0.6 / std::sqrt(hits) * ratio) << hits << " collisions";
    EXPECT_GT(scalar(d, "pv_nt_theory"), 1 + 1.9 * fraction) << "the second virial coefficient";
  }
}

// ---- bit for bit

template <class Real>
void compare_with_queue(Backend& backend, std::map<std::string, double> parameters, int steps, const char* kernel) {
  perturb::Setup setup;
  setup.simulation = "particles";
  setup.seed = 77;
  setup.parameters = parameters;
  setup.parameters["collisions"] = 1;
  const auto run = particles_simulation().create(backend, setup);
  run->select_kernel(kernel);
  const auto value = [&](const char* id) { return run->parameters().get(id); };
  const double slow = value("slow_factor");
  EventReference<Real> reference(run->save(), run->domain_width(), run->domain_height(), value("radius"), slow);
  ExactPhysics<Real>& physics = reference.physics;
  physics.gravity = static_cast<Real>(value("gravity") / (slow * slow));
  physics.restitution = static_cast<Real>(value("restitution"));
  Parameters given;
  given.count = static_cast<int>(value("count"));
  given.box = value("box");
  given.radius = value("radius");
  given.gravity = value("gravity");
  given.velocity_max = value("velocity_max");
  physics.elastic_below = static_cast<Real>(elastic_speed(given) / slow);
  physics.left = static_cast<Real>(std::sqrt(value("temperature_left")) / slow);
  physics.right = static_cast<Real>(std::sqrt(value("temperature_right")) / slow);
  physics.floor = static_cast<Real>(std::sqrt(value("temperature_floor")) / slow);
  physics.ceiling = static_cast<Real>(std::sqrt(value("temperature_ceiling")) / slow);
  physics.seed = 77;
  const double closest = std::is_same_v<Real, float> ? 1e-4 : 5e-10;
  for (int done = 0; done < reach(steps, 3); ++done) {
    run->step(1);
    reference.step();
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after " << done + 1 << " steps";
    if (done % 10 == 9) {
      ASSERT_GE(reference.min_distance(), 1 - closest);
    }
  }
}

std::vector<std::map<std::string, double>> scenes_beyond_elastic() {
  auto heated = heated_box(2);
  heated.insert({{"count", 400}, {"box", 60}, {"velocity_max", 0.5}});
  auto two_kinds = heated;
  two_kinds["second_share"] = 0.3;
  two_kinds["second_radius"] = 1.4;
  two_kinds["second_mass"] = 3;
  two_kinds["box"] = 80;
  auto everything = two_kinds;
  everything["temperature_floor"] = everything["temperature_left"] = 0;
  everything["gravity"] = 0.1;
  everything["restitution"] = 0.9;
  everything["slow_factor"] = 4;
  return {
      heated,
      two_kinds,
      everything,
      {{"count", 300}, {"box", 60}, {"velocity_max", 1}, {"gravity", 0.02}},
      {{"count", 300}, {"box", 60}, {"velocity_max", 1}, {"gravity", 0.5}, {"slow_factor", 8}},
      {{"count", 300}, {"box", 60}, {"velocity_max", 2}, {"gravity", 1}},  // as fast as a disc in a step
      {{"count", 400}, {"box", 60}, {"velocity_max", 1}, {"restitution", 0.9}},
      {{"count", 200}, {"box", 60}, {"velocity_max", 1}, {"gravity", 0.2}, {"restitution", 0.9}, {"slow_factor", 8}},
      {{"count", 100}, {"box", 30}, {"velocity_max", 0}, {"gravity", 0.05}, {"slow_factor", 4}}};
}

TEST_P(ParticlesThermostat, MatchesTheSequentialQueueBitForBit) {
  int number = 0;
  for (const auto& parameters : scenes_beyond_elastic()) {
    SCOPED_TRACE(number++);
    compare_with_queue<double>(backend(), parameters, 60, "grid");
    compare_with_queue<double>(backend(), parameters, 5, "all-pairs");
    auto single = parameters;
    single["precision"] = 0;
    compare_with_queue<float>(backend(), single, 10, "grid");
  }
}

TEST_P(ParticlesThermostat, ResumesBitForBit) {
  auto parameters = heated_box(1);
  parameters.insert({{"count", 300}, {"box", 60}, {"velocity_max", 1}, {"gravity", 0.02}, {"restitution", 0.95}});
  parameters["temperature_right"] = 3;
  const auto run = make(parameters);
  run->step(20);
  const auto copy = run->copy_state();
  const State saved = run->save();
  run->step(30);
  const auto end = run->save().get<double>("position", {300, 2});
  run->restore(*copy);
  run->step(30);
  EXPECT_EQ(run->save().get<double>("position", {300, 2}), end);
  const auto other = make(parameters);
  other->load(saved);
  other->step(30);
  EXPECT_EQ(other->save().get<double>("position", {300, 2}), end);
}

// ---- walls with a temperature

TEST(ParticlesThermalWall, EmitsTheFluxOfAGas) {
  constexpr int n = 200000;
  double normal = 0, normal2 = 0, along = 0, along2 = 0, along4 = 0;
  for (int k = 0; k < n; ++k) {
    const ThermalVelocity v = thermal_velocity(5, {k % 1000, static_cast<std::uint32_t>(k / 1000)});
    ASSERT_GE(v.normal, 0);
    normal += v.normal / n;
    normal2 += v.normal * v.normal / n;
    along += v.along / n;
    along2 += v.along * v.along / n;
    along4 += std::pow(v.along, 4) / n;
  }
  // Rayleigh and normal distribution; four standard errors.
  const double error = 4 / std::sqrt(n);
  EXPECT_NEAR(normal, std::sqrt(std::numbers::pi / 2), error * std::sqrt(2 - std::numbers::pi / 2));
  EXPECT_NEAR(normal2, 2, error * 2);
  EXPECT_NEAR(along, 0, error);
  EXPECT_NEAR(along2, 1, error * std::sqrt(2));
  EXPECT_NEAR(along4, 3, error * std::sqrt(96));
}

TEST_P(ParticlesThermostat, GasTakesTheTemperatureOfItsWalls) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  auto parameters = heated_box(1);
  parameters.insert({{"count", 400}, {"box", 80}, {"velocity_max", 0.2}});
  const auto run = make(parameters);
  EXPECT_LT(scalar(*run, "temperature"), 0.02);
  run->step(600);
  double mean = 0, deviation = 0, square = 0;
  constexpr int samples = 100;
  for (int k = 0; k < samples; ++k) {
    run->step(10);
    const Diagnostics d = run->diagnostics({}, true);
    const double temperature = scalar(d, "temperature");
    mean += temperature / samples;
    square += temperature * temperature / samples;
    deviation += scalar(d, "maxwell_error") / samples;
  }
  // The energy of a gas at given temperature varies by T/√N in the mean square; samples are partly independent.
  EXPECT_NEAR(mean, 1, 0.03);
  EXPECT_NEAR(std::sqrt(square - mean * mean), 1 / std::sqrt(400.0), 0.025);
  EXPECT_LT(deviation, 0.12) << "400 discs in 47 bins";
  // Colder walls: a live parameter.
  for (const auto& [id, temperature] : heated_box(0.25)) run->set_parameter(id, temperature);
  run->step(1500);
  EXPECT_NEAR(scalar(*run, "temperature"), 0.25, 0.05);
}

TEST_P(ParticlesThermostat, TwoWallsGiveATemperatureProfile) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto run = make({{"count", 1500},
                         {"box", 150},
                         {"velocity_max", 2},
                         {"velocities", 1},
                         {"temperature_left", 2},
                         {"temperature_right", 0.5}});
  run->step(1500);
  for (int k = 0; k < 80; ++k) {
    run->step(10);
    run->diagnostics({}, true);
  }
  const Diagnostics d = run->diagnostics({}, true);
  const Curve* profile = d.curve("temperature_profile");
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->points.size(), 24u);
  ASSERT_EQ(profile->theory.size(), 25u);
  EXPECT_NEAR(profile->theory.front().y, 2, 1e-12);
  EXPECT_NEAR(profile->theory.back().y, 0.5, 1e-12);
  for (int k = 4; k < 20; k += 4) {
    double mean = 0, expected = 0;
    for (int j = k; j < k + 4; ++j) {
      mean += profile->points[static_cast<std::size_t>(j)].y / 4;
      expected +=
          0.125 * (profile->theory[static_cast<std::size_t>(j)].y + profile->theory[static_cast<std::size_t>(j) + 1].y);
    }
    EXPECT_NEAR(mean, expected, 0.12 * expected) << "layers from " << k;
  }
  EXPECT_FALSE(d.scalar("pressure_theory")) << "the gas is not uniform";
}

TEST_P(ParticlesThermostat, RuleOfThePaperRejectsThem) {
  const auto run = make({{"collisions", 0}, {"count", 50}, {"box", 60}, {"velocity_max", 1}});
  for (const char* id : {"temperature_left", "gravity"}) EXPECT_THROW(run->set_parameter(id, 1), InputError) << id;
  EXPECT_THROW(run->set_parameter("restitution", 0.95), InputError);
  EXPECT_THROW(make({{"collisions", 0}, {"count", 50}, {"box", 60}, {"gravity", 1}}), InputError);
}

// ---- gravity and restitution

TEST_P(ParticlesThermostat, GravityConservesKineticAndPotentialEnergy) {
  const auto run = make({{"count", 300}, {"box", 80}, {"velocity_max", 1}, {"gravity", 0.02}});
  const double before = scalar(*run, "total_energy");
  double least = 1e300, most = 0;
  for (int k = 0; k < reach(20, 2); ++k) {
    run->step(25);
    const Diagnostics d = run->diagnostics({}, true);
    EXPECT_EQ(scalar(d, "overlaps"), 0);
    EXPECT_NEAR(scalar(d, "total_energy"), before, 1e-6 * before);
    least = std::min(least, scalar(d, "energy"));
    most = std::max(most, scalar(d, "energy"));
  }
  EXPECT_GT(most, 1.02 * least) << "energy changes its form";
}

TEST_P(ParticlesThermostat, DensityFallsWithHeightAsInAnAtmosphere) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  auto parameters = heated_box(1);
  parameters.insert({{"count", 800}, {"box", 200}, {"radius", 0.5}, {"velocity_max", 1.732}, {"gravity", 0.01}});
  const auto run = make(parameters);
  run->step(1500);
  for (int k = 0; k < 80; ++k) {
    run->step(15);
    run->diagnostics({}, true);
  }
  const Diagnostics d = run->diagnostics({}, true);
  const Curve* heights = d.curve("density_profile");
  ASSERT_TRUE(heights);
  ASSERT_EQ(heights->points.size(), 24u);
  // n(y) ~ exp(-m g y/kT): between a quarter and three quarters of the height it falls by exp(-1).
  const auto mean_of = [&](int from) {
    double mean = 0;
    for (int k = from; k < from + 6; ++k) mean += heights->points[static_cast<std::size_t>(k)].y / 6;
    return mean;
  };
  EXPECT_NEAR(mean_of(15) / mean_of(3), std::exp(-1), 0.12 * std::exp(-1));
  EXPECT_NEAR(heights->theory.front().y, 2.0 / (1 - std::exp(-2.0)), 0.15);
}

TEST_P(ParticlesThermostat, DiscFallsOnAParabolaAndReboundsLower) {
  const double gravity = 0.02, slow = 4, restitution = 0.9;
  const auto run = make({{"count", 1},
                         {"box", 40},
                         {"velocity_max", 0},
                         {"gravity", gravity},
                         {"slow_factor", slow},
                         {"restitution", restitution}});
  const double start = run->save().get<double>("position", {1, 2})[1];
  run->step(20);
  EXPECT_NEAR(run->save().get<double>("position", {1, 2})[1], start - 0.5 * gravity * 25, 1e-9 * start);
  // Until it has rebounded: the highest point then.
  double highest = 0;
  bool has_hit = false;
  for (int k = 0; k < 1200; ++k) {
    run->step(1);
    const State state = run->save();
    has_hit = has_hit || state.get<std::uint32_t>("wall_collisions", {1})[0] > 0;
    if (state.get<std::uint32_t>("wall_collisions", {1})[0] > 1) break;
    if (has_hit) highest = std::max(highest, state.get<double>("position", {1, 2})[1]);
  }
  ASSERT_TRUE(has_hit);
  const double drop = start - 1;
  EXPECT_NEAR(highest - 1, restitution * restitution * drop, 1e-3 * drop) << "e² of the height";
}

TEST_P(ParticlesThermostat, InelasticCollisionsConserveMomentum) {
  ExactPhysics<double> physics;
  physics.restitution = 0.5;
  const Kind<double> kind{1, 2}, other_kind{1, 3};
  const TimedDisc<double> a{0, 0, 1, 0.2, 0}, b{2.5, 0.7, -0.5, 0.1, 0};
  const double time = exact_pair_time(a, b, 2.0);
  ASSERT_LE(time, 1);
  const TimedDisc<double> c = exact_settle_pair(a, b, time, kind, other_kind, physics);
  const TimedDisc<double> d = exact_settle_pair(b, a, time, other_kind, kind, physics);
  EXPECT_NEAR(2 * c.vx + 3 * d.vx, 2 * a.vx + 3 * b.vx, 1e-14);
  EXPECT_NEAR(2 * c.vy + 3 * d.vy, 2 * a.vy + 3 * b.vy, 1e-14);
  const double nx = d.x - c.x, ny = d.y - c.y;
  const double before = (b.vx - a.vx) * nx + (b.vy - a.vy) * ny, after = (d.vx - c.vx) * nx + (d.vy - c.vy) * ny;
  EXPECT_NEAR(after, -0.5 * before, 1e-13);
}

TEST_P(ParticlesThermostat, InelasticGasCoolsAndSettles) {
  const auto run = make(
      {{"count", 300}, {"box", 60}, {"velocity_max", 1}, {"gravity", 0.05}, {"restitution", 0.9}, {"slow_factor", 4}});
  double energy = scalar(*run, "total_energy");
  const double before = energy;
  for (int k = 0; k < reach(6, 2); ++k) {
    run->step(100);
    const Diagnostics d = run->diagnostics({}, true);
    EXPECT_EQ(scalar(d, "overlaps"), 0);
    EXPECT_LT(scalar(d, "total_energy"), energy * 1.01);
    energy = scalar(d, "total_energy");
    for (const Gauge& gauge : run->gauges()) {
      if (gauge.id == "lossless") continue;
      EXPECT_LT(gauge.value, gauge.limit) << gauge.id;
    }
  }
  EXPECT_LT(energy, before);
  // In a pile most collisions are slower than a fall from twice its height. They lose no energy, and a gauge says so.
  EXPECT_GT(gauge_of(*run, "lossless").value, 0.5);
  EXPECT_EQ(gauge_of(*run, "lossless").level(), Gauge::Level::near);
}

}  // namespace
}  // namespace perturb::particles
