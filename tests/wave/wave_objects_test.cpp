// Objects of the tank: sources, slits and lenses that change while it runs.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/object.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/wave.h"
#include "tests/support/backends.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

SceneObject object_with(const Simulation& tank, int id) {
  const std::vector<SceneObject> objects = tank.objects();
  const SceneObject* found = find_object(objects, id);
  return found ? *found : SceneObject{};
}
Action line_object(double x, double frequency) {
  return act("line-source", {{"x0", x}, {"y0", 0}, {"x1", x}, {"y1", 1}, {"frequency", frequency}});
}

class WaveObjects : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> tank(std::map<std::string, double> parameters = {}) {
    parameters.emplace("time_step", 0.5);
    return wave_tank(backend(), 96, 32, std::move(parameters));
  }
};
PERTURB_ON_EACH_BACKEND(WaveObjects);

TEST_P(WaveObjects, SourcesAreListedInTheOrderOfCreation) {
  const auto t = tank();
  EXPECT_TRUE(t->objects().empty());
  t->apply(act("oscillator", {{"x", 0.25}, {"y", 0.5}, {"radius", 3}}));
  t->apply(line_object(0.1, 0.03));
  ASSERT_EQ(t->objects().size(), 2u);
  EXPECT_EQ(object_with(*t, 1).kind, "oscillator");
  EXPECT_EQ(object_with(*t, 1).numbers.at("radius"), 3);
  EXPECT_EQ(object_with(*t, 2).numbers.at("frequency"), 0.03);
  for (const SceneObject& object : t->objects())
    for (const ValueInfo& field : find_kind(t->info().actions, object.kind)->fields)
      EXPECT_TRUE(object.numbers.contains(field.id)) << object.kind << " " << field.id;
  t->apply(removed(object_with(*t, 1)));
  EXPECT_EQ(t->objects().size(), 1u);
  t->apply(act("oscillator", {{"x", 0.75}, {"y", 0.5}}));
  EXPECT_EQ(t->objects().back().id, 3) << "a number is not used again";
}

TEST_P(WaveObjects, ChangeOfFrequencyKeepsTheHeight) {
  const auto t = tank();
  t->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}, {"frequency", 0.05}, {"amplitude", 0.2}}));
  t->step(101);
  const float before = SavedSurface(*t).at(48, 16);
  // A step of 0.5 changes the height by at most 2π f a dt.
  for (const double frequency : {0.06, 0.09, 0.031, 0.05}) {
    t->apply(changed(object_with(*t, 1), "frequency", frequency));
    EXPECT_LE(std::abs(object_with(*t, 1).numbers.at("phase")), M_PI);
  }
  t->step(1);
  EXPECT_NEAR(SavedSurface(*t).at(48, 16), before, 2 * M_PI * 0.05 * 0.2 * 0.5);
  EXPECT_EQ(object_with(*t, 1).numbers.at("frequency"), 0.05);
}

TEST(WaveSourceChange, KeepsHeightInRampTrainAndStandstill) {
  const Grid grid{100, 50, 1, false, false};
  Parameters p;
  p.time_step = 0.5;
  for (const double waves : {0, 1, 4})
    for (const double frequency : {0.0, 0.05, 0.1})
      for (const double next : {0.0, 0.02, 0.15})
        for (const double time : {3.0, 17.0, 60.0, 133.0}) {
          Sources sources;
          sources.add(act("oscillator", {{"x", 0.5},
                                         {"y", 0.5},
                                         {"frequency", frequency},
                                         {"amplitude", 1},
                                         {"phase", 0.7},
                                         {"radius", 1},
                                         {"waves", waves},
                                         {"vx", 0},
                                         {"vy", 0}}),
                      1, 2, p);
          const double before = source_height(sources[0], time);
          const bool ended = has_ended(sources[0], time);
          sources.change(act("change-oscillator", {{"frequency", next}}), 1, grid, time, p);
          // A standstill is no train, and a train has no standstill: the height jumps there, as stated.
          if (waves > 0 && (frequency == 0 || next == 0)) continue;
          EXPECT_NEAR(source_height(sources[0], time), before, 1e-9) << waves << " " << frequency << " " << next;
          EXPECT_EQ(has_ended(sources[0], time), ended);
        }
}

TEST_P(WaveObjects, RejectedChangesLeaveTheTankAsItIs) {
  const auto t = tank();
  t->apply(act("oscillator", {{"x", 0.3}, {"y", 0.5}, {"vx", 0.2}}));
  t->apply(line_object(0.1, 0.03));
  t->step(7);
  const State before = t->save();
  const auto change = [](int id, const char* kind, const char* number, double value) {
    return act(std::string("change-") + kind, {{"object", id}, {number, value}});
  };
  EXPECT_TRUE(says(error_of([&] { t->apply(change(1, "oscillator", "frequency", 1.95)); }), "two steps per period"));
  EXPECT_TRUE(says(error_of([&] { t->apply(change(2, "line-source", "frequency", 0.4)); }), "two cells per"));
  EXPECT_TRUE(says(error_of([&] { t->apply(change(1, "oscillator", "x", 1.5)); }), "outside the tank"));
  EXPECT_TRUE(says(error_of([&] { t->apply(change(1, "line-source", "amplitude", 1)); }), "change-oscillator"));
  EXPECT_TRUE(says(error_of([&] { t->apply(change(9, "oscillator", "amplitude", 1)); }), "no object 9"));
  EXPECT_TRUE(says(error_of([&] { t->apply(change(1, "oscillator", "waves", -1)); }), "waves"));
  EXPECT_TRUE(same_bits(before, t->save()));
}

TEST_P(WaveObjects, MovingSourceIsChangedWhereItIs) {
  const auto t = tank(), plain = tank();
  for (const auto& one : {&t, &plain}) {
    (*one)->apply(act("oscillator", {{"x", 0.9}, {"y", 0.5}, {"vx", 0.5}}));
    (*one)->step(60);  // 15 cells: turned round after 9.6
  }
  EXPECT_NEAR(object_with(*t, 1).numbers.at("x"), 1 - (15 - 9.6) / 96, 1e-12);
  EXPECT_DOUBLE_EQ(object_with(*t, 1).numbers.at("vx"), -0.5);
  t->apply(changed(object_with(*t, 1), "amplitude", 0.1));  // its value: nothing changes
  EXPECT_TRUE(same_bits(t->save(), plain->save()));
  t->apply(changed(object_with(*t, 1), "vy", 0.1));
  t->step(20);
  EXPECT_NEAR(object_with(*t, 1).numbers.at("x"), 1 - (20 - 9.6) / 96, 1e-12);
  EXPECT_NEAR(object_with(*t, 1).numbers.at("y"), 0.5 + 1.0 / 32, 1e-12);
}

TEST_P(WaveObjects, HandlesMoveEndsOfALineSource) {
  const auto t = tank();
  t->apply(line_object(0.1, 0.03));
  const SceneObject line = object_with(*t, 1);
  ASSERT_EQ(line.handles.size(), 3u);
  const auto drag = [&](std::size_t handle, double dx, double dy) {
    t->apply(dragged(line, line.handles[handle], dx, dy, t->domain_width(), t->domain_height(), t->info().actions));
    return object_with(*t, 1).numbers;
  };
  auto numbers = drag(2, 0.2, -0.5);
  EXPECT_DOUBLE_EQ(numbers.at("x0"), 0.1);
  EXPECT_DOUBLE_EQ(numbers.at("x1"), 0.3);
  EXPECT_DOUBLE_EQ(numbers.at("y1"), 0.5);
  numbers = drag(0, 0.1, 0);
  EXPECT_DOUBLE_EQ(numbers.at("x0"), 0.2);
  EXPECT_DOUBLE_EQ(numbers.at("x1"), 0.2);
}

// A train of n waves crosses a point within n periods, and the water is at rest before and afterwards: it is as
// long as n wavelengths, and nothing reflects waves where it was sent.
TEST_P(WaveObjects, TrainIsAsLongAsItsWaves) {
  std::map<std::string, double> parameters = {{"time_step", 0.5}, {"damping", 0}};
  for (const char* side : {"boundary_left", "boundary_right"}) parameters[side] = number_of(Boundary::absorbing);
  for (const char* side : {"boundary_bottom", "boundary_top"}) parameters[side] = number_of(Boundary::periodic);
  const auto t = wave_tank(backend(), 400, 2, parameters);
  Action train = line_object(0.5, 0.05);
  train.numbers["waves"] = 3;
  t->apply(train);
  t->step(240);  // 120 time units: 60 for the train, whose front is then at 320
  const SavedSurface u(*t);
  EXPECT_LT(std::abs(u.at(325, 0)), 1e-3);
  EXPECT_LT(std::abs(u.at(255, 0)), 1e-3);
  int zeros = 0;
  double highest = 0;
  for (int i = 261; i < 319; ++i) {
    zeros += u.at(i, 0) * u.at(i + 1, 0) < 0 ? 1 : 0;
    highest = std::max<double>(highest, std::abs(u.at(i, 0)));
  }
  EXPECT_EQ(zeros, 5);
  EXPECT_NEAR(highest, 0.1, 0.005);
  EXPECT_NEAR(u.at(200, 0), 0, 1e-3) << "the water where it was sent";
  EXPECT_EQ(t->objects().size(), 1u);
  // The cells are free: a wave from another source passes them without a reflection.
  t->step(1000);
  t->apply(line_object(0.1, 0.05));
  t->step(2000);
  const double mean = t->diagnostics({}, true).scalars.front().value;
  double low = 1, high = 0;
  std::vector<double> most(160, 0.0);
  for (int k = 0; k < 40; ++k) {
    t->step(1);
    const SavedSurface now(*t);
    for (int i = 0; i < 160; ++i)
      most[static_cast<std::size_t>(i)] =
          std::max<double>(most[static_cast<std::size_t>(i)], std::abs(now.at(120 + i, 0)));
  }
  for (const double m : most) low = std::min(low, m), high = std::max(high, m);
  EXPECT_LT((high - low) / (high + low), 0.02) << mean;
  // It is sent again when its waves are set again.
  t->apply(act("remove-sources"));
}

TEST_P(WaveObjects, TrainEndsAtTheSameStepInAnyPass) {
  for (const int waves : {1, 2}) {
    const auto whole = tank(), single = tank();
    for (const auto& one : {&whole, &single}) {
      Action train = line_object(0.5, 0.07);
      train.numbers["waves"] = waves;
      (*one)->apply(train);
    }
    whole->step(96);
    for (int k = 0; k < 96; ++k) single->step(1);
    EXPECT_TRUE(same_bits(whole->save(), single->save())) << waves;
  }
}

TEST_P(WaveObjects, EarlierStatesLoad) {
  const auto t = tank();
  t->apply(act("oscillator", {{"x", 0.3}, {"y", 0.5}, {"vx", 0.2}}));
  t->apply(line_object(0.1, 0.03));
  t->step(30);
  State early = t->save();
  const std::vector<double> table = early.get<double>("sources", {2, source_columns});
  std::vector<double> first;
  for (std::size_t k = 0; k < 2; ++k)
    first.insert(first.end(), table.begin() + static_cast<std::ptrdiff_t>(k * source_columns),
                 table.begin() + static_cast<std::ptrdiff_t>(k * source_columns + early_source_columns));
  early.put<double>("sources", {2, early_source_columns}, "", first);
  early.datasets.erase("created");
  const auto again = tank();
  again->load(early);
  EXPECT_EQ(again->objects(), t->objects());
  again->step(50), t->step(50);
  EXPECT_TRUE(same_bits(again->save(), t->save()));
}

}  // namespace
}  // namespace perturb::wave
