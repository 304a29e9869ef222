// Objects of the tank: sources, slits and lenses that change while it runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/object.h"
#include "cuda/wave/model/sides.h"
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

TEST_P(WaveObjects, OutlineOfALensIsRepeatedAtASideThatRepeats) {
  const auto repeats = static_cast<double>(Boundary::periodic);
  const auto points_of = [&](double x, std::map<std::string, double> sides) {
    const auto water = tank(std::move(sides));
    water->apply(act("lens", {{"x", x}, {"y", 0.5}, {"radius_x", 0.1}, {"radius_y", 0.3}}));
    return water->objects().at(0).outline;
  };
  const std::size_t once = points_of(0.95, {}).size();
  EXPECT_EQ(points_of(0.5, {{"boundary_left", repeats}, {"boundary_right", repeats}}).size(), once);
  const std::vector<CurvePoint> both = points_of(0.95, {{"boundary_left", repeats}, {"boundary_right", repeats}});
  ASSERT_EQ(both.size(), 2 * once + 1) << "with a gap between them";
  EXPECT_FALSE(std::isfinite(both[once].x));
  EXPECT_NEAR(both[once + 1].x, both[0].x - 1, 1e-12);
}

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
          if (waves > 0 && frequency == 0) continue;  // a train of a source at a standstill begins anywhere
          EXPECT_NEAR(source_height(sources[0], time), before, 1e-9) << waves << " " << frequency << " " << next;
          EXPECT_EQ(has_ended(sources[0], time), ended && next > 0);
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
  EXPECT_TRUE(
      says(error_thrown_by([&] { t->apply(change(1, "oscillator", "frequency", 1.95)); }), "two steps per period"));
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(change(2, "line-source", "frequency", 0.4)); }), "two cells per"));
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(change(1, "oscillator", "x", 1.5)); }), "outside the tank"));
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(change(1, "line-source", "amplitude", 1)); }), "change-oscillator"));
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(change(9, "oscillator", "amplitude", 1)); }), "no object 9"));
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(change(1, "oscillator", "waves", -1)); }), "waves"));
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
    // Not in the faint waves of its ends.
    zeros += i > 265 && i < 315 && u.at(i, 0) * u.at(i + 1, 0) < 0 ? 1 : 0;
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
  double low = 1, high = 0;
  std::vector<double> most(160, 0.0);
  for (int k = 0; k < 40; ++k) {
    t->step(1);
    const SavedSurface now(*t);
    for (int i = 0; i < 160; ++i)
      most[static_cast<std::size_t>(i)] =
          std::max<double>(most[static_cast<std::size_t>(i)], std::abs(now.at(120 + i, 0)));
  }
  for (const double m : most) {
    low = std::min(low, m);
    high = std::max(high, m);
  }
  EXPECT_LT((high - low) / (high + low), 0.02);
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
  again->step(50);
  t->step(50);
  EXPECT_TRUE(same_bits(again->save(), t->save()));
}

// Walls and speed map of a tank, by cell: the factor, negative in a wall.
std::vector<float> medium_cells(const Simulation& tank) {
  const State state = tank.save();
  const std::vector<std::size_t> grid = {static_cast<std::size_t>(state.height), static_cast<std::size_t>(state.width)};
  std::vector<float> medium(grid[0] * grid[1], 1.f);
  if (state.has("speed")) medium = state.get<float>("speed", grid);
  if (state.has("wall")) {
    const std::vector<std::uint8_t> walls = state.get<std::uint8_t>("wall", grid);
    for (std::size_t k = 0; k < walls.size(); ++k) medium[k] = walls[k] != 0 ? -medium[k] : medium[k];
  }
  return medium;
}
Action rectangle_action(const char* kind, double x0, double y0, double x1, double y1) {
  return act(kind, {{"x0", x0}, {"y0", y0}, {"x1", x1}, {"y1", y1}});
}
Action two_slits() {
  return act("slits", {{"x", 0.5}, {"y", 0.5}, {"number", 2}, {"width", 4}, {"distance", 12}, {"thickness", 4}});
}
Action some_lens() { return act("lens", {{"x", 0.3}, {"y", 0.5}, {"radius_x", 0.1}, {"radius_y", 0.4}}); }

TEST_P(WaveObjects, SlitsAreOpenWhereTheirNumbersSay) {
  const auto t = tank(), drawn = tank();
  t->apply(two_slits());
  // The wall from column 46 to 50; slits of 4 cells around rows 10 and 22.
  drawn->apply(rectangle_action("wall-rectangle", 46.0 / 96, 0, 50.0 / 96, 1));
  for (const double y : {10.0, 22.0}) {
    Action slit = rectangle_action("wall-rectangle", 46.0 / 96, (y - 2) / 32, 50.0 / 96, (y + 2) / 32);
    slit.numbers["erase"] = 1;
    drawn->apply(slit);
  }
  EXPECT_EQ(medium_cells(*t), medium_cells(*drawn));
  // Three slits, the middle one at the middle.
  t->apply(act("change-slits", {{"object", 1}, {"number", 3}, {"distance", 10}}));
  const std::vector<float> medium = medium_cells(*t);
  std::vector<int> open;
  for (int j = 0; j < 32; ++j)
    if (medium[static_cast<std::size_t>(j * 96 + 48)] > 0) open.push_back(j);
  EXPECT_EQ(open, (std::vector<int>{4, 5, 6, 7, 14, 15, 16, 17, 24, 25, 26, 27}));
}

TEST_P(WaveObjects, ChangedSlitsLeaveDrawnWallsAsTheyAre) {
  const auto t = tank(), plain = tank();
  const Action before = rectangle_action("wall-line", 0.2, 0.1, 0.8, 0.9),
               after = rectangle_action("wall-line", 0.1, 0.8, 0.7, 0.2);
  t->apply(before);
  t->apply(two_slits());
  t->apply(after);
  // A gap erased in its wall, until it changes.
  Action gap = rectangle_action("wall-rectangle", 0.45, 0, 0.55, 0.1);
  gap.numbers["erase"] = 1;
  t->apply(gap);
  EXPECT_GT(medium_cells(*t)[48], 0);
  t->apply(changed(object_with(*t, 1), "width", 6));
  EXPECT_LT(medium_cells(*t)[48], 0);
  t->apply(changed(object_with(*t, 1), "x", 0.25));
  t->apply(removed(object_with(*t, 1)));
  for (const Action& action : {before, after, gap}) plain->apply(action);
  EXPECT_EQ(medium_cells(*t), medium_cells(*plain));
  EXPECT_FALSE(t->save().has("painted_wall")) << "needed with objects only";
}

TEST_P(WaveObjects, MovedLensRestoresTheSpeedBelow) {
  const auto t = tank(), plain = tank();
  const Action below = act("speed-gradient", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 0}, {"from", 1}, {"to", 0.5}});
  for (const auto& one : {&t, &plain}) (*one)->apply(below);
  t->apply(some_lens());
  t->apply(act("region", {{"x0", 0.2}, {"y0", 0}, {"x1", 0.4}, {"y1", 1}, {"factor", 2}}));
  EXPECT_EQ(medium_cells(*t)[16 * 96 + 28], 2) << "the later object covers the earlier one";
  t->apply(changed(object_with(*t, 1), "x", 0.7));
  EXPECT_EQ(medium_cells(*t)[16 * 96 + 28], 2);
  EXPECT_EQ(medium_cells(*t)[16 * 96 + 67], 0.7f);
  // Drawn over and below it.
  for (const auto& one : {&t, &plain}) (*one)->apply(act("speed-disc", {{"x", 0.7}, {"y", 0.5}, {"radius", 6}}));
  for (const auto& one : {&t, &plain}) (*one)->apply(rectangle_action("wall-line", 0.6, 0.2, 0.8, 0.8));
  EXPECT_EQ(medium_cells(*t)[12 * 96 + 67], 0.6f);
  t->apply(removed(object_with(*t, 2)));
  t->apply(removed(object_with(*t, 1)));
  EXPECT_EQ(medium_cells(*t), medium_cells(*plain));
}

TEST_P(WaveObjects, ClearingRemovesTheObjectsToo) {
  const auto t = tank();
  t->apply(two_slits());
  t->apply(some_lens());
  t->apply(act("clear-walls"));
  ASSERT_EQ(t->objects().size(), 1u);
  EXPECT_FALSE(t->save().has("wall"));
  t->apply(changed(object_with(*t, 2), "factor", 0.5));
  t->apply(act("clear-speed"));
  EXPECT_TRUE(t->objects().empty());
  EXPECT_FALSE(t->save().has("speed"));
  t->apply(two_slits());
  EXPECT_EQ(t->objects().back().id, 3);
}

TEST_P(WaveObjects, SlitsThatLeaveNoWaterChangeNothing) {
  const auto t = tank();
  t->apply(two_slits());
  t->apply(rectangle_action("wall-rectangle", 0, 0, 0.1, 1));
  const State before = t->save();
  const std::string why = error_thrown_by([&] {
    t->apply(act("change-slits", {{"object", 1}, {"y", 3}, {"thickness", 1000}}));
  });
  EXPECT_TRUE(says(why, "no water")) << why;
  EXPECT_TRUE(same_bits(before, t->save()));
  EXPECT_EQ(object_with(*t, 1).numbers.at("thickness"), 4);
}

TEST_P(WaveObjects, ObjectsKeepTheirLengthsWhenCellsGetAnotherSize) {
  const auto t = tank();
  t->apply(two_slits());
  t->apply(rectangle_action("wall-rectangle", 0, 0, 0.1, 1));
  t->set_parameter("cell_size", 2);
  int walls = 0;
  for (const float m : medium_cells(*t)) walls += m < 0 ? 1 : 0;
  EXPECT_EQ(walls, 10 * 32 + 2 * (32 - 4)) << "drawn walls stay; the slits' wall is two cells thick";
  t->apply(removed(object_with(*t, 1)));
  walls = 0;
  for (const float m : medium_cells(*t)) walls += m < 0 ? 1 : 0;
  EXPECT_EQ(walls, 10 * 32);
}

TEST_P(WaveObjects, SurviveStatesAndCopies) {
  const auto t = tank(), loaded = tank();
  t->apply(rectangle_action("wall-line", 0.2, 0.1, 0.8, 0.9));
  t->apply(line_object(0.1, 0.03));
  t->apply(two_slits());
  t->apply(some_lens());
  t->step(20);
  const auto copy = t->copy_state();
  const State state = t->save();
  loaded->load(state);
  EXPECT_TRUE(same_bits(loaded->save(), state));
  const auto change = [](Simulation& tank) {
    tank.step(10);
    tank.apply(changed(object_with(tank, 2), "distance", 16));
    tank.apply(changed(object_with(tank, 3), "x", 0.6));
    tank.apply(removed(object_with(tank, 1)));
    tank.apply(act("oscillator", {{"x", 0.75}, {"y", 0.5}}));
    tank.step(10);
    return tank.save();
  };
  const State end = change(*t);
  EXPECT_TRUE(same_bits(change(*loaded), end));
  t->restore(*copy);
  EXPECT_TRUE(same_bits(t->save(), state));
  EXPECT_TRUE(same_bits(change(*t), end));
  for (const auto& [column, value] : {std::pair{0, 2.0}, {1, 3.0}, {1, -1.0}, {2, 9.0}, {4, 0.0}}) {
    State bad = state;
    std::vector<double> table = bad.get<double>("objects", {2, 9});
    table[static_cast<std::size_t>(column + 9)] = value;
    bad.put<double>("objects", {2, 9}, "", table);
    EXPECT_THROW(tank()->load(bad), InputError) << column << " = " << value;
  }
}

TEST_P(WaveObjects, HandlesFollowTheSlits) {
  const auto t = tank();
  t->apply(two_slits());
  const SceneObject slits = object_with(*t, 1);
  for (std::size_t k = 0; k < slits.handles.size(); ++k) {
    const ObjectHandle& handle = slits.handles[k];
    const double dy = 0.1;
    t->apply(dragged(slits, handle, 0, dy, t->domain_width(), t->domain_height(), t->info().actions));
    const std::vector<ObjectHandle> now = object_with(*t, 1).handles;
    ASSERT_EQ(now.size(), slits.handles.size());
    const bool is_unlimited = handle.label == "Position" || handle.label == "Distance";
    if (is_unlimited) {
      EXPECT_NEAR(now[k].y, handle.y + dy, 1e-12) << handle.label;
    }
    // Back to the start.
    for (const auto& [number, value] : slits.numbers) t->apply(act("change-slits", {{"object", 1}, {number, value}}));
  }
  EXPECT_EQ(object_with(*t, 1), slits);
  // Both outer slits change the distance.
  const auto count = [&](double side) {
    return std::count_if(slits.handles.begin(), slits.handles.end(), [&](const ObjectHandle& handle) {
      return handle.label == "Distance" && side * (handle.y - slits.handles[0].y) > 0;
    });
  };
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(-1), 1);
}

TEST_P(WaveObjects, SlitsWithoutWallBetweenThemSaySoOnce) {
  const auto t = tank();
  t->apply(two_slits());
  EXPECT_TRUE(t->take_warning().empty());
  t->apply(act("change-slits", {{"object", 1}, {"width", 12}}));
  EXPECT_NE(t->take_warning().english().find("merged"), std::string::npos);
  t->apply(act("change-slits", {{"object", 1}, {"width", 14}}));
  EXPECT_TRUE(t->take_warning().empty()) << "they were merged before";
  t->apply(act("change-slits", {{"object", 1}, {"width", 4}}));
  EXPECT_TRUE(t->take_warning().empty());
}

}  // namespace
}  // namespace perturb::wave
