// Time at which a ring broke: reported once, saved, and independent of how often it is measured.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/start.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"
#include "tests/support/setup_of.h"

namespace perturb::fibers {
namespace {

constexpr std::size_t break_fibers = 48;

// A level ring of radius 9 with a section of about 1, of two opposite arcs of 2 `half_arc` each; pi/2: an even ring.
Placement ring_of_two_arcs(double half_arc) {
  Placement fibers;
  for (std::size_t k = 0; k < break_fibers; ++k) {
    const double within = (static_cast<double>(k / 2) + 0.5) / (0.5 * break_fibers) * 2 - 1,
                 angle = half_arc * within + (k % 2 == 1 ? M_PI : 0), turn = 2.4 * static_cast<double>(k);
    const double rho = 9 + 0.9 * std::cos(turn);
    fibers.add({rho * std::cos(angle), rho * std::sin(angle), 0.9 * std::sin(turn)}, {0, 0, 1});
  }
  return fibers;
}

Core core_of_two_arcs(double half_arc) {
  const Placement fibers = ring_of_two_arcs(half_arc);
  const std::vector<double> rest(fibers.position.size(), 0.0);
  return find_fiber_core(fibers.position, fibers.tangent, rest, fiber_d(0.01));
}

TEST(FiberBreakTest, ARingHasPartedWhereItsDensityIsNothing) {
  // <exp(2 i phi)> over both arcs is sin(2 s)/(2 s), s half an arc: twice that is 1 at s = 0.948.
  for (const double half_arc : {0.7, 0.9, 1.0, 1.2}) {
    const Core core = core_of_two_arcs(half_arc);
    EXPECT_NEAR(core.parting, std::sin(2 * half_arc) / half_arc, 0.01) << half_arc;
    EXPECT_EQ(ring_has_parted(core), half_arc < 0.948) << half_arc;
  }
  // Two clusters that are not a ring, as of two separate clouds: thicker than a ring with a hole.
  Core thick = core_of_two_arcs(0.7);
  thick.ring_section = 0.8 * thick.ring_radius;
  EXPECT_FALSE(ring_has_parted(thick));
}

TEST(FiberBreakTest, TheFirstTimeIsKept) {
  const Core whole = core_of_two_arcs(1.3), parted = core_of_two_arcs(0.8);
  RingBreak ring;
  ring.update(whole, 1);
  EXPECT_FALSE(ring.broke());
  ring.update(parted, 2);
  EXPECT_TRUE(ring.broke());
  ring.update(whole, 3);
  ring.update(parted, 4);
  EXPECT_EQ(ring.time(), 2);
  EXPECT_FALSE(ring.is_due(RingBreak::stride));
  // A ring first seen in parts broke before the first check.
  ring.begin();
  ring.update(parted, 5);
  ring.update(whole, 6);
  ring.update(parted, 7);
  EXPECT_FALSE(ring.broke());
}

class FiberBreakRun : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> run() {
    return fibers_simulation().create(
        backend(), setup_of("fibers", static_cast<int>(break_fibers), 0, {{"time_step", 0.05}, {"radius", 9}}));
  }
  // In two arcs, at step 2, as seen whole before; `kept` false: a state of a version that did not keep it.
  State state_in_arcs(Simulation& of, bool kept = true) {
    State state = of.save();
    const Placement fibers = ring_of_two_arcs(0.8);
    state.steps = 2;
    state.time = 0.1;
    state.put<double>("position", {break_fibers, 3}, "length", fibers.position);
    state.put<double>("tangent", {break_fibers, 3}, "", fibers.tangent);
    for (const char* name : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(name);
    state.put<double>("ring_break", {1}, "time", std::vector<double>{RingBreak::whole});
    if (!kept) state.datasets.erase("ring_break");
    return state;
  }
  static double broke_at(Simulation& run) {
    for (const Scalar& s : run.diagnostics({}, true).scalars)
      if (s.id == "ring_broke") return s.value;
    return -1;
  }
};
PERTURB_ON_EACH_BACKEND(FiberBreakRun);

TEST_P(FiberBreakRun, IsFoundWithoutDiagnostics) {
  const auto watched = run(), alone = run();
  const State state = state_in_arcs(*watched);
  watched->load(state);
  alone->load(state);
  for (int step = 3; step <= 9; ++step) {
    watched->step(1);
    EXPECT_EQ(broke_at(*watched) >= 0, step >= 4) << step << ": looked at steps that 4 divides";
  }
  alone->step(7);
  EXPECT_NEAR(broke_at(*alone), 0.2, 1e-12);
  EXPECT_EQ(broke_at(*watched), broke_at(*alone));
}

TEST_P(FiberBreakRun, IsKeptInAStateAndForgottenWithTheCloud) {
  const auto first = run(), second = run();
  first->load(state_in_arcs(*first));
  first->step(4);
  const double time = broke_at(*first);
  ASSERT_NEAR(time, 0.2, 1e-12);
  second->load(first->save());
  EXPECT_EQ(broke_at(*second), time);
  second->apply({"new-cloud", {{"x", 0}, {"y", 0}, {"z", 0}, {"count", 40}, {"radius", 6}}, "", nullptr});
  EXPECT_EQ(broke_at(*second), -1);
  // For a ring in a state of an older version, the time of its break is unknown.
  second->load(state_in_arcs(*first, false));
  second->step(10);
  EXPECT_EQ(broke_at(*second), -1);
}

}  // namespace
}  // namespace perturb::fibers
