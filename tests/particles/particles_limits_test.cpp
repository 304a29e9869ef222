// Steps of the rule `exact` with too many collisions: they are stopped, with a message or on request, and the discs are
// those of the last whole step.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/particles/particles.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::particles {
namespace {

class ParticlesLimits : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(std::map<std::string, double> parameters) {
    perturb::Setup setup;
    setup.simulation = "particles";
    setup.seed = 3210;
    setup.parameters = std::move(parameters);
    setup.parameters["collisions"] = 1;
    return particles_simulation().create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(ParticlesLimits);

void expect_same(const State& a, const State& b) {
  EXPECT_EQ(a.steps, b.steps);
  for (const auto& [name, data] : a.datasets) EXPECT_TRUE(data.bytes == b.datasets.at(name).bytes) << name;
}

// Takes steps until one is rejected; the state must then equal that of a run with the same number of steps.
void expect_error(Simulation& run, Simulation& whole, int most_steps) {
  std::string said;
  try {
    for (int k = 0; k < most_steps; ++k) run.step(1);
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

TEST_P(ParticlesLimits, PistonWithoutRoomThrows) {
  const std::map<std::string, double> press = {{"count", 40},         {"box", 40},         {"aspect", 0.5},
                                               {"velocity_max", 0.1}, {"piston_speed", 1}, {"piston_end", 0.1}};
  const auto run = make(press), whole = make(press);
  expect_error(*run, *whole, 40);
  EXPECT_GT(run->steps(), 20);
}

// Discs in a row between the piston and the other wall, which come nearer than the row is long.
TEST_P(ParticlesLimits, CompressedRowThrows) {
  const std::map<std::string, double> row = {{"count", 10},          {"box", 30},         {"aspect", 0.1},
                                             {"velocity_max", 0.01}, {"piston_speed", 1}, {"piston_end", 0.2}};
  expect_error(*make(row), *make(row), 40);
}

// Where a step would have too many collisions, the gauge is past its limit at the look before it.
TEST_P(ParticlesLimits, GaugeExceedsLimitBeforeStepThrows) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto rejected_after_red = [](Simulation& run, int most_steps) {
    for (int k = 0; k < most_steps; ++k) {
      run.diagnostics({}, true);
      const bool red = gauge_of(run, "rate").level() == Gauge::Level::exceeded;
      try {
        run.step(1);
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

TEST_P(ParticlesLimits, LongStepStopsOnRequest) {
  // Its first step takes a second or more.
  const std::map<std::string, double> long_one = {{"count", 3000}, {"box", 150}, {"velocity_max", 400}};
  const auto run = make(long_one);
  const State before = run->save();
  StopRequest request;
  std::thread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    request.request_stop();
  });
  {
    const StopScope scope(backend(), request);
    EXPECT_THROW(run->step(1), Stopped);
  }
  asks.join();
  ASSERT_EQ(run->steps(), 0);
  expect_same(run->save(), before);
  // It goes on as one that was never stopped.
  const auto other = make({{"count", 300}, {"box", 60}, {"velocity_max", 1}}),
             never_stopped = make({{"count", 300}, {"box", 60}, {"velocity_max", 1}});
  const StopScope scope(backend(), request);
  EXPECT_THROW(other->step(3), Stopped);
  request.reset();
  other->step(3), never_stopped->step(3);
  expect_same(other->save(), never_stopped->save());
}

}  // namespace
}  // namespace perturb::particles
