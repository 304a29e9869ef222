// Standing modes, compared with theory while nothing else moves.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "app/io/files/csv.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveModes : public OnEachBackend {
 protected:
  // Fixed on the left, free elsewhere.
  std::unique_ptr<Simulation> string(double damping = 0) {
    return wave_tank(backend(), 120, 5,
                     {{"time_step", 0.5},
                      {"damping", damping},
                      {"boundary_right", number_of(Boundary::free)},
                      {"boundary_bottom", number_of(Boundary::free)},
                      {"boundary_top", number_of(Boundary::free)}});
  }
  Curve profile(Simulation& tank) {
    for (Curve& c : tank.diagnostics({}, true).curves)
      if (c.id == "profile") return c;
    return {};
  }
};
PERTURB_ON_EACH_BACKEND(WaveModes);

Action mode(double m, double amplitude = 0.5) { return act("mode", {{"m", m}, {"n", 0}, {"amplitude", amplitude}}); }

TEST_P(WaveModes, StringHasShapeAndFrequencyOfTheory) {
  for (const double damping : {0., 0.002}) {
    const auto tank = string(damping);
    tank->apply(mode(3));
    EXPECT_FALSE(has_value(scalar(*tank, "mode_frequency"))) << "before a period has passed";
    tank->step(777);
    const double undamped = 2.5 / (2 * 120.5), turn = 2 * 3.14159265358979;
    const double expected = std::sqrt(undamped * undamped - std::pow(damping / (2 * turn), 2));
    EXPECT_NEAR(scalar(*tank, "mode_frequency_theory"), expected, 1e-9);
    EXPECT_NEAR(scalar(*tank, "mode_frequency") / expected, 1, 5e-4);
    const Curve c = profile(*tank);
    ASSERT_EQ(c.theory.size(), c.points.size());
    EXPECT_LT(error_against_theory(c), 0.02);
  }
}

TEST_P(WaveModes, SeveralModesAreComparedWithoutAFrequency) {
  const auto tank = string();
  tank->apply(mode(1));
  tank->apply(mode(2, 0.3));
  tank->step(333);
  EXPECT_LT(error_against_theory(profile(*tank)), 0.02);
  EXPECT_EQ(tank->diagnostics({}, true).scalar("mode_frequency_theory"), nullptr);
}

TEST_P(WaveModes, AnythingElseEndsTheComparison) {
  const auto ended = [&](const auto& change) {
    const auto tank = string();
    tank->apply(mode(1));
    tank->step(100);
    EXPECT_FALSE(profile(*tank).theory.empty());
    change(*tank);
    tank->step(10);
    return profile(*tank).theory.empty();
  };
  EXPECT_TRUE(ended([](Simulation& tank) { tank.apply(act("droplet", {{"x", 0.5}, {"y", 0.5}})); }));
  EXPECT_TRUE(ended([](Simulation& tank) { tank.set_parameter("wave_speed", 0.5); }));
  EXPECT_TRUE(ended([](Simulation& tank) { tank.set_parameter("boundary_left", number_of(Boundary::free)); }));
  EXPECT_TRUE(ended([](Simulation& tank) { tank.apply(mode(2)); })) << "it began later";
}

TEST_P(WaveModes, ASavedModeIsComparedAfterLoading) {
  const auto tank = string();
  tank->apply(mode(2));
  tank->step(400);
  State state = tank->save();
  const auto again = string();
  again->load(state);
  EXPECT_EQ(scalar(*again, "mode_frequency"), scalar(*tank, "mode_frequency"));
  EXPECT_EQ(profile(*again).theory.back().y, profile(*tank).theory.back().y);
  EXPECT_EQ(state.get<double>("modes", {1, 4}), (std::vector<double>{2, 0, 0.5, 0}));
  for (const std::vector<double>& wrong : {std::vector<double>{1.5, 0, 0.5, 0},
                                           {-1, 0, 0.5, 0},
                                           {2, 0, 99, 0},
                                           {2, 0, 0.5, 201},
                                           {2, 0, 0.5, std::nan("")}}) {
    state.put<double>("modes", {1, 4}, "", wrong);
    EXPECT_THROW(again->load(state), InputError);
  }
  // Anything else in the tank: no mode is saved.
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  EXPECT_FALSE(tank->save().has("modes"));
}

}  // namespace
}  // namespace perturb::wave
