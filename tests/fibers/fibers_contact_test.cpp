// Contact of fibers: those that overlap are pushed apart, all others are unchanged.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/contact_search.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/contact.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/start.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::fibers {
namespace {

constexpr double contact_thickness = 0.04;
const double contact_d = fiber_d(0.01);

Contacts push_all(Placement& fibers, double box = 0) {
  return push_fibers_apart(fibers.position.data(), fibers.tangent.data(), static_cast<std::size_t>(fibers.count()),
                           contact_thickness, contact_d, box);
}

double closest_pair(const Placement& fibers, double box = 0) {
  double closest = 1e300;
  const auto row = [](const std::vector<double>& of, std::size_t m) {
    return Vector3<double>{of[3 * m], of[3 * m + 1], of[3 * m + 2]};
  };
  for (std::size_t m = 0; m < static_cast<std::size_t>(fibers.count()); ++m)
    for (std::size_t l = 0; l < m; ++l)
      closest =
          std::min(closest, fiber_distance(fiber_separation(&fibers.position[3 * m], &fibers.position[3 * l], box),
                                           row(fibers.tangent, m), row(fibers.tangent, l)));
  return closest;
}

TEST(FiberContactTest, CrossedFibersShareThePush) {
  Placement fibers;
  fibers.add({0.2, 0, 0.01}, {1, 0, 0});
  fibers.add({0.2, 0, 0}, {0, 1, 0});
  EXPECT_EQ(push_all(fibers).pairs, 1);
  EXPECT_NEAR(closest_pair(fibers), contact_thickness, 0.01 * contact_thickness);
  EXPECT_GE(closest_pair(fibers), contact_thickness);
  EXPECT_NEAR(fibers.position[2] - 0.01, -fibers.position[5], 1e-15) << "both are level: each goes as far";
  EXPECT_EQ(fibers.position[0], 0.2) << "along the line between them alone";
}

// A push off the middle turns; the force on each is the same.
TEST(FiberContactTest, ForcesAreEqualAndOpposite) {
  Placement fibers;
  fibers.add({0, 0, 0.03}, {1, 0, 0});
  fibers.add({0.7, 0.4, 0}, {0, 1, 0});
  const Placement before = fibers;
  push_all(fibers);
  const double across = (contact_d + 2) / (2 * contact_d);
  const double up = (fibers.position[2] - before.position[2]) / across,
               down = (fibers.position[5] - before.position[5]) / across;
  EXPECT_NEAR(up, -down, 1e-12 + 0.02 * up) << "the line between them turns a little with them";
  // The direction's change: 3/2 s P, at s = 0.7 and at s = -0.4.
  EXPECT_NEAR(fibers.tangent[2], 1.5 * 0.7 * up, 0.02 * up);
  EXPECT_NEAR(fibers.tangent[5], 1.5 * -0.4 * down, 0.02 * up);
}

TEST(FiberContactTest, KeepsFibersWithoutContactBitIdentical) {
  Placement fibers;
  add_fiber_ball(fibers, 100, {0, 0, 0}, 6, 1.01 * contact_thickness, 2, 1);
  const Placement before = fibers;
  const Contacts none = push_all(fibers);
  EXPECT_EQ(none.pairs, 0);
  EXPECT_TRUE(none.settled);
  EXPECT_EQ(fibers.position, before.position);
  EXPECT_EQ(fibers.tangent, before.tangent);
  fibers.add({20, 0, 0}, {1, 0, 0});
  fibers.add({20, 0, 0.02}, {0, 1, 0});
  EXPECT_EQ(push_all(fibers).pairs, 1);
  for (std::size_t k = 0; k < before.position.size(); ++k) EXPECT_EQ(fibers.position[k], before.position[k]);
}

TEST(FiberContactTest, HeapsAndSpecialPlacesComeApart) {
  Placement heap;
  add_fiber_ball(heap, 60, {0, 0, 0}, 1.5, 0, 7, 1);
  EXPECT_LT(closest_pair(heap), contact_thickness / 4);
  EXPECT_TRUE(push_all(heap).settled);
  EXPECT_GE(closest_pair(heap), contact_thickness);
  for (int m = 0; m < heap.count(); ++m) {
    const double* const t = &heap.tangent[static_cast<std::size_t>(3 * m)];
    EXPECT_NEAR(t[0] * t[0] + t[1] * t[1] + t[2] * t[2], 1, 1e-12);
  }
  const struct {
    Vector3<double> x, t;
  } others[] = {{{0, 0, 0.3}, {0, 0, 1}},   // along the same axis
                {{0, 0, 0}, {0, 0, 1}},     // the very same place
                {{0.01, 0, 0}, {0, 0, 1}},  // next to it
                {{0, 0, 0}, {1, 0, 0}},     // through its middle
                {{0, 0, 2.01}, {0, 0, 1}},  // end to end
                {{0, 0.01, 0.5}, {0, 1e-7, 1}}};
  for (const auto& other : others) {
    Placement pair;
    pair.add({0, 0, 0}, {0, 0, 1});
    const double length = std::sqrt(dot(other.t, other.t));
    pair.add(other.x, {other.t.x / length, other.t.y / length, other.t.z / length});
    EXPECT_EQ(push_all(pair).pairs, 1) << other.x.x << " " << other.x.y << " " << other.x.z;
    EXPECT_GE(closest_pair(pair), contact_thickness);
  }
}

TEST(FiberContactTest, TheNearestImageTouchesToo) {
  Placement fibers;
  fibers.add({0, 0, 4.995}, {1, 0, 0});
  fibers.add({0, 0, -4.995}, {0, 1, 0});
  EXPECT_EQ(push_all(fibers).pairs, 0);
  EXPECT_EQ(push_all(fibers, 10).pairs, 1);
  EXPECT_GE(closest_pair(fibers, 10), contact_thickness);
}

TEST(FiberContactTest, TheoryHolds) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const TheoryCheck check = check_contact();
  EXPECT_TRUE(check.pass()) << check.name << ": " << check.got << " for " << check.expected;
}

class FiberContactSearch : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberContactSearch);

TEST_P(FiberContactSearch, FindsAllPairsInOrder) {
  constexpr int count = 150;
  constexpr double reach = 2 * contact_thickness;
  for (const double box : {0.0, 5.0})
    for (const bool unequal : {false, true}) {
      Placement fibers;
      add_fiber_ball(fibers, count, {0, 0, 0}, 2.2, 0, 7, 1);
      if (unequal)
        for (int m = 0; m < count; ++m) fibers.half_length.push_back(0.5 + 0.01 * m);
      const auto half = [&](int m) { return unequal ? fibers.half_length[static_cast<std::size_t>(m)] : 1.0; };
      std::vector<std::pair<int, int>> expected, got;
      for (int m = 0; m < count; ++m)
        for (int l = m + 1; l < count; ++l)
          if (fiber_distance(fiber_separation(&fibers.position[3 * static_cast<std::size_t>(m)],
                                              &fibers.position[3 * static_cast<std::size_t>(l)], box),
                             load3(&fibers.tangent[3 * static_cast<std::size_t>(m)]),
                             load3(&fibers.tangent[3 * static_cast<std::size_t>(l)]), half(m), half(l)) < reach)
            expected.emplace_back(m, l);
      Array<double> x(backend(), fibers.position.size(), "x"), t(backend(), fibers.tangent.size(), "t");
      x.upload(fibers.position);
      t.upload(fibers.tangent);
      const Lengths lengths(backend(), fibers.half_length);
      Poses poses{x.data(), t.data(), box};
      poses.half_length = lengths.device();
      ContactSearch search(backend(), count);
      for (const Pair& pair : search.closer_than(reach, poses)) got.emplace_back(pair.m, pair.l);
      EXPECT_GT(expected.size(), 50u);
      EXPECT_EQ(got, expected) << box << ' ' << unequal;
      EXPECT_TRUE(search.closer_than(0, poses).empty());
    }
}

class FiberContactRun : public OnEachBackend {
 protected:
  // The least distance, over the steps, of an upright fiber that falls onto a level one.
  double fall_together(bool contact) {
    Scene scene;
    scene.setup.simulation = "fibers";
    scene.setup.width = 2;
    scene.setup.parameters = {
        {"start", static_cast<double>(Start::pair)}, {"contact", contact ? 1.0 : 0.0}, {"time_step", 0.02}};
    const auto run = fibers_simulation().create(backend(), scene.setup);
    State state = run->save();
    for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
    state.put<double>("position", {2, 3}, "length", std::vector<double>{0, 0, 1.3, 0.05, 0, 0});
    state.put<double>("tangent", {2, 3}, "", std::vector<double>{0, 0, 1, 1, 0, 0});
    run->load(state);
    double closest = 1e300;
    for (int step = 0; step < 250; ++step) {
      run->step(1);
      const State at = run->save();
      closest =
          std::min(closest, closest_pair({at.get<double>("position", {2, 3}), at.get<double>("tangent", {2, 3})}));
    }
    return closest;
  }
};
PERTURB_ON_EACH_BACKEND(FiberContactRun);

TEST_P(FiberContactRun, APairThatFallsTogetherDoesNotCross) {
  EXPECT_LT(fall_together(false), contact_thickness) << "without contact they lie in each other";
  EXPECT_GE(fall_together(true), contact_thickness);
}

// The same density as the scenes', which opened with a warning: all of them are free of overlaps.
TEST_P(FiberContactRun, ScenesOpenWithoutAWarning) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const char* preset :
       {"ring", "thousand", "cloud", "fluid", "sheet", "two-clouds", "periodic", "pair", "lone", "lengths"}) {
    Scene scene = load_scene(std::string("fibers/") + preset);
    if (scene.setup.width > 300) {
      scene.setup.parameters["radius"] *= std::cbrt(200.0 / scene.setup.width);
      scene.setup.width = 200;
    }
    Experiment run(backend(), scene);
    for (int step = 0; step < 5; ++step) {
      run.advance(1);
      EXPECT_EQ(scalar(run.simulation().diagnostics(scene.view, true), "overlaps"), 0) << preset << " " << step;
      for (const Gauge& gauge : run.simulation().gauges())
        EXPECT_EQ(gauge.level(), Gauge::Level::good) << preset << ": " << gauge.label;
    }
  }
}

// At its own size, as the row of verify has it.
TEST_P(FiberContactRun, TheSceneRingHasNoOverlaps) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const TheoryCheck check = check_scene_overlaps(backend(), false, 1);
  EXPECT_TRUE(check.pass()) << check.name << ": " << check.got;
}

// A push is not a velocity: the two-step scheme does not continue it.
TEST_P(FiberContactRun, APushEndsWithItsStep) {
  Scene scene;
  scene.setup.simulation = "fibers";
  scene.setup.width = 2;
  scene.setup.parameters = {{"start", static_cast<double>(Start::pair)},
                            {"alone", 1},
                            {"gap", 0.02},
                            {"tilt", 0},
                            {"time_step", 0.1},
                            {"contact", 1}};
  const auto run = fibers_simulation().create(backend(), scene.setup);
  run->step(1);
  const std::vector<double> first = run->save().get<double>("position", {2, 3});
  run->step(4);
  const std::vector<double> later = run->save().get<double>("position", {2, 3});
  EXPECT_NEAR(first[3] - first[0], contact_thickness, 1e-3 * contact_thickness * 1.01);
  EXPECT_NEAR(later[3] - later[0], first[3] - first[0], 1e-12) << "upright and alone: they fall side by side";
}

}  // namespace
}  // namespace perturb::fibers
