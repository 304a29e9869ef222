// Steps of the rule `exact` with too many collisions: they are stopped, with a message or on request, and the discs are
// those of the last whole step.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/particles.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::particles {
namespace {

class ParticlesLimits : public ExactDiscsOnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesLimits);

void expect_same(const State& a, const State& b) {
  EXPECT_EQ(a.steps, b.steps);
  for (const auto& [name, data] : a.datasets) EXPECT_TRUE(data.bytes == b.datasets.at(name).bytes) << name;
}

// Takes steps until one is rejected; the state must then equal that of a run with the same number of steps.
void expect_error(Simulation& run, Simulation& whole, int max_steps) {
  std::string said;
  try {
    for (int k = 0; k < max_steps; ++k) run.step(1);
  } catch (const NonFiniteError& error) {
    said = error.what();
  }
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.find("piston that stops earlier"), std::string::npos) << said;
  whole.step(run.steps());
  expect_same(run.save(), whole.save());
  EXPECT_TRUE(run.diagnostics({}, true).finite);
  EXPECT_EQ(scalar(run.diagnostics({}, true), "overlaps"), 0);
  EXPECT_EQ(scalar(run.diagnostics({}, true), "energy"), scalar(whole.diagnostics({}, true), "energy"));
  EXPECT_THROW(run.step(1), NonFiniteError) << "the same step is refused again";
}

TEST_P(ParticlesLimits, StepBeyondCollisionLimitThrows) {
  const std::map<std::string, double> fast = {{"count", 60}, {"box", 30}, {"velocity_max", 1e7}};
  expect_error(*make(fast), *make(fast), 1);
}

// Takes steps until the right wall stops because a step would have too many collisions. The run goes on, and its state
// does not depend on how the steps were divided.
void expect_wall_stops(Simulation& run, Simulation& whole, int max_steps) {
  std::string said;
  for (int k = 0; k < max_steps && said.empty(); ++k) {
    run.step(1);
    said = run.take_warning().english();
  }
  ASSERT_NE(said.find("The right wall has stopped"), std::string::npos) << said;
  const double volume = scalar(run.diagnostics({}, true), "volume");
  run.step(5);
  EXPECT_NEAR(scalar(run.diagnostics({}, true), "volume"), volume, 1e-9 * volume);
  EXPECT_TRUE(run.diagnostics({}, true).finite);
  EXPECT_EQ(scalar(run.diagnostics({}, true), "overlaps"), 0);
  whole.step(run.steps());
  expect_same(run.save(), whole.save());
}

TEST_P(ParticlesLimits, PistonWithoutRoomStops) {
  const std::map<std::string, double> press = {{"count", 40},         {"box", 40},         {"aspect", 0.5},
                                               {"velocity_max", 0.1}, {"piston_speed", 1}, {"piston_end", 0.1}};
  const auto run = make(press), whole = make(press);
  expect_wall_stops(*run, *whole, 40);
  EXPECT_GT(run->steps(), 20);
}

// Discs in a row between the piston and the other wall, which come nearer than the row is long.
TEST_P(ParticlesLimits, CompressedRowStopsPiston) {
  const std::map<std::string, double> row = {{"count", 10},          {"box", 30},         {"aspect", 0.1},
                                             {"velocity_max", 0.01}, {"piston_speed", 1}, {"piston_end", 0.2}};
  expect_wall_stops(*make(row), *make(row), 40);
}

// Where a step would have too many collisions, the gauge is past its limit at the look before it.
TEST_P(ParticlesLimits, GaugeExceedsLimitBeforeStepThrows) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto rejected_after_red = [](Simulation& run, int max_steps) {
    for (int k = 0; k < max_steps; ++k) {
      run.diagnostics({}, true);
      const bool red = gauge_of(run, "rate").level() == Gauge::Level::exceeded;
      try {
        run.step(1);
        if (run.take_warning().empty()) continue;
        // The right wall has stopped instead.
        EXPECT_TRUE(red) << "stopped after a look at " << gauge_of(run, "rate").value;
        return true;
      } catch (const NonFiniteError&) {
        EXPECT_TRUE(red) << "refused after a look at " << gauge_of(run, "rate").value << " of "
                         << gauge_of(run, "rate").limit;
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(rejected_after_red(*make({{"count", 60}, {"box", 30}, {"velocity_max", 1e7}}), 1));
  EXPECT_TRUE(rejected_after_red(*make({{"count", 40},
                                        {"box", 40},
                                        {"aspect", 0.5},
                                        {"velocity_max", 0.1},
                                        {"piston_speed", 1},
                                        {"piston_end", 0.1}}),
                                 40));
  // A piston that is made fast while the gas runs: whichever speeds end it, none does so unannounced.
  int rejected = 0;
  for (const double speed : {1., 10., 100., 1e3, 1e5, 1e8}) {
    const auto gas = make({{"count", 600}, {"box", 90}, {"aspect", 0.75}, {"velocity_max", 1}, {"slow_factor", 2}});
    gas->step(20);
    gas->diagnostics({}, true);
    EXPECT_EQ(gauge_of(*gas, "rate").level(), Gauge::Level::good);
    gas->set_parameter("piston_speed", speed);
    rejected += rejected_after_red(*gas, 30) ? 1 : 0;
  }
  EXPECT_GT(rejected, 0);
}

bool rejects(Simulation& run, const std::string& parameter, double value) {
  try {
    dynamic_cast<StabilityLimit&>(run).require_stable_with(parameter, value);
  } catch (const InputError&) {
    return true;
  }
  return false;
}
bool rejects(Simulation& run, const Action& action) {
  try {
    dynamic_cast<StabilityLimit&>(run).require_stable_after(action);
  } catch (const InputError&) {
    return true;
  }
  return false;
}

const std::map<std::string, double> usual_gas = {
    {"count", 600}, {"box", 90}, {"aspect", 0.75}, {"velocity_max", 1}, {"slow_factor", 2}};

// Nothing has been measured before: the limit measures itself.
TEST_P(ParticlesLimits, ChangesThatOverloadAStepAreRejected) {
  const auto gas = make(usual_gas);
  EXPECT_TRUE(rejects(*gas, "piston_speed", 1e8));
  EXPECT_TRUE(rejects(*gas, "velocity_max", 1e7));
  EXPECT_TRUE(
      rejects(*gas, Action{"throw", {{"x", 0.5}, {"y", 0.5}, {"vx", 1e6}, {"vy", 0}, {"disc", -1}}, "", nullptr}));
  EXPECT_TRUE(rejects(*gas, Action{"kick", {{"x", 0.5}, {"y", 0.5}, {"radius", 25}, {"strength", -1e5}}, "", nullptr}));
  EXPECT_FALSE(rejects(*gas, "piston_speed", 1));
  EXPECT_FALSE(rejects(*gas, "velocity_max", 10));
  EXPECT_FALSE(rejects(*gas, Action{"kick", {{"x", 0.5}, {"y", 0.5}, {"radius", 25}, {"strength", 2}}, "", nullptr}));
  // A slow piston, too, must not go where the discs have no room.
  gas->set_parameter("piston_speed", 0.5);
  EXPECT_TRUE(rejects(*gas, "piston_end", 0.3));
  EXPECT_FALSE(rejects(*gas, "piston_end", 0.5));
  // Discs that a change has just made fast count, although no measurement has seen them.
  const auto fast = make(usual_gas);
  fast->diagnostics({}, true);
  const Action kick{"kick", {{"x", 0.5}, {"y", 0.5}, {"radius", 500}, {"strength", 100}}, "", nullptr};
  int kicks = 0;
  for (; kicks < 20 && !rejects(*fast, kick); ++kicks) fast->apply(kick);
  EXPECT_GT(kicks, 0);
  EXPECT_LT(kicks, 20);
}

TEST_P(ParticlesLimits, ChangesThatHelpAreAllowedBeyondTheLimit) {
  std::map<std::string, double> parameters = usual_gas;
  parameters["velocity_max"] = 500;
  const auto gas = make(parameters);
  EXPECT_TRUE(rejects(*gas, "piston_speed", 1e6));
  EXPECT_FALSE(rejects(*gas, "slow_factor", 64));
  EXPECT_FALSE(rejects(*gas, "velocity_max", 1));
}

// Whatever a user does with the piston, among few discs and a heavy one or many: no step that follows is too much.
TEST_P(ParticlesLimits, PistonThatIsAllowedEndsNoRun) {
  SKIP_AT_SMALL_REACH("many steps of the same kernels");
  int allowed = 0, rejected = 0;
  for (const double count : {1., 8., 40., 250.})
    for (const double heavy : {0., 6.})
      for (const double end : {0.05, 0.2, 0.4})
        for (const double speed : {1., 100., 1e4, 5.8e7}) {
          SCOPED_TRACE(testing::Message() << count << " discs, heavy " << heavy << ", end " << end << ", " << speed);
          const auto gas = make({{"count", count},
                                 {"box", 60},
                                 {"aspect", 0.75},
                                 {"velocity_max", 1.5},
                                 {"heavy_radius", heavy},
                                 {"heavy_mass", 40},
                                 {"slow_factor", 8}});
          gas->set_parameter("piston_end", end);
          if (rejects(*gas, "piston_speed", speed)) {
            ++rejected;
            continue;
          }
          ++allowed;
          gas->set_parameter("piston_speed", speed);
          EXPECT_NO_THROW(gas->step(20));
        }
  EXPECT_GT(allowed, 20);
  EXPECT_GT(rejected, 5);
}

TEST_P(ParticlesLimits, StoppedRunNamesThePistonAsRemedy) {
  const auto run = make(
      {{"count", 40}, {"box", 40}, {"aspect", 0.5}, {"velocity_max", 0.1}, {"piston_speed", 1}, {"piston_end", 0.1}});
  const std::vector<StabilityRemedy> all = dynamic_cast<StabilityRemedies&>(*run).remedies();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().parameter, "piston_speed");
  EXPECT_LT(all.front().value, 1);
}

// Stops a step that would take a second or more, soon after it has begun: nothing has changed then.
void expect_step_stops(Simulation& run) {
  const State before = run.save();
  StopRequest request;
  std::thread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    request.request_stop();
  });
  {
    const StopScope scope(run.backend(), request);
    EXPECT_THROW(run.step(1), Stopped);
  }
  asks.join();
  ASSERT_EQ(run.steps(), 0);
  expect_same(run.save(), before);
}

// By the rule of one collision per step: discs that cross the box in a step are compared with all others.
class ParticlesLongSearch : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(double count) {
    return particles_simulation().create(backend(),
                                         disc_setup({{"count", count}, {"box", 20000}, {"velocity_max", 5000}}));
  }
};
PERTURB_ON_EACH_BACKEND(ParticlesLongSearch);

TEST_P(ParticlesLongSearch, CountThatWouldTakeMinutesIsRejected) {
  const auto run = make(300);
  EXPECT_THROW(run->set_parameter("count", max_discs), InputError);
  EXPECT_EQ(run->parameters().get("count"), 300);
  run->set_parameter("count", 2000);
  run->step(1);
}

TEST_P(ParticlesLongSearch, StopsOnRequest) {
  if (backend().is_cuda()) GTEST_SKIP() << "queued work is not interrupted";
  const auto run = make(60000);
  expect_step_stops(*run);
}

TEST_P(ParticlesLimits, LongStepStopsOnRequest) {
  // Its first step takes a second or more.
  const std::map<std::string, double> long_one = {{"count", 3000}, {"box", 150}, {"velocity_max", 400}};
  const auto run = make(long_one);
  expect_step_stops(*run);
  StopRequest request;
  request.request_stop();
  // It goes on as one that was never stopped.
  const auto other = make({{"count", 300}, {"box", 60}, {"velocity_max", 1}}),
             never_stopped = make({{"count", 300}, {"box", 60}, {"velocity_max", 1}});
  const StopScope scope(backend(), request);
  EXPECT_THROW(other->step(3), Stopped);
  request.reset();
  other->step(3);
  never_stopped->step(3);
  expect_same(other->save(), never_stopped->save());
}

// The scene as it is keeps its energy. With losses its gas falls into a pile, in which discs would collide ever more
// often. At small reach a column of it, which is as high and as dense.
TEST_P(ParticlesLimits, PileHasFewTimesTheCollisionsOfTheElasticGas) {
  constexpr int settling = 400, counted = 400;
  const auto collisions_of = [&](double restitution, double floor, std::vector<Gauge>* gauges = nullptr) {
    perturb::Setup setup = load_scene("particles/atmosphere").setup;
    std::map<std::string, double>& parameters = setup.parameters;
    if (has_small_reach()) {
      parameters["count"] = 188;
      parameters["box"] = 25;
      parameters["aspect"] = 6;
    }
    parameters["restitution"] = restitution;
    parameters["temperature_floor"] = floor;
    const auto discs = static_cast<std::size_t>(parameters.at("count"));
    const auto run = particles_simulation().create(backend(), setup);
    const auto all = [&] {
      const std::vector<std::uint32_t> each = run->save().get<std::uint32_t>("disc_collisions", {discs});
      return std::accumulate(each.begin(), each.end(), 0.0);
    };
    run->step(settling);
    const double before = all();
    run->step(counted);
    run->diagnostics({}, true);
    if (gauges) *gauges = run->gauges();
    return all() - before;
  };
  const double elastic = collisions_of(1, 1);
  EXPECT_LT(collisions_of(0.9, 1), 3 * elastic);
  EXPECT_LT(collisions_of(0.9, 0.05), 3 * elastic) << "as the scene proposes";
  std::vector<Gauge> gauges;
  EXPECT_LT(collisions_of(0.9, 0, &gauges), 4 * elastic) << "a floor without a temperature";
  const auto lossless =
      std::find_if(gauges.begin(), gauges.end(), [](const Gauge& gauge) { return gauge.id == "lossless"; });
  ASSERT_NE(lossless, gauges.end());
  EXPECT_GT(lossless->value, 0.9);
  EXPECT_EQ(lossless->level(), Gauge::Level::near);
}

}  // namespace
}  // namespace perturb::particles
