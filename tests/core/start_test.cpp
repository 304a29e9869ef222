// Common code of simulations: their start, the texts of their tables, positions in the domain.
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

struct Values {
  double speed = 1.5;
  int level = 3;
};
const std::array<Parameter, 2>& start_table() {
  static const std::array<Parameter, 2> records = {
      parameter<&Values::speed>("speed", "Speed", "", "", 0, 10, ""),
      parameter<&Values::level>("level", "Level", "", "", 1, 5, "").with_restart()};
  return records;
}

TEST(Start, ParametersAreTheDefaultsWithWhatTheSetupNames) {
  perturb::Setup setup;  // GoogleTest has its own Setup
  EXPECT_EQ(parameters_from<Values>(setup, start_table()).level, 3);
  setup.parameters = {{"level", 5}};
  const auto values = parameters_from<Values>(setup, start_table());
  EXPECT_EQ(values.level, 5);
  EXPECT_EQ(values.speed, 1.5);
  setup.parameters = {{"speed", 11}};
  EXPECT_NE(error_thrown_by([&] { parameters_from<Values>(setup, start_table()); }), "");
  setup.parameters = {{"sped", 1}};
  EXPECT_NE(error_thrown_by([&] { parameters_from<Values>(setup, start_table()); }).find("speed"), std::string::npos);
}

TEST(Start, ChangesOneLiveParameter) {
  const Values now;
  const auto with = [&](const char* id, double value) {
    return with_parameter(start_table(), now, id, value, "it runs: stop it");
  };
  EXPECT_EQ(with("speed", 4).speed, 4);
  EXPECT_EQ(with("level", 3).level, 3) << "no change is none";
  EXPECT_EQ(error_thrown_by([&] { with("level", 4); }), "level cannot change while it runs: stop it.");
  EXPECT_NE(error_thrown_by([&] { with("speed", -1); }), "");
  EXPECT_EQ(now.speed, 1.5);
}

TEST(Start, GridsHaveSidesWithinTheirLimits) {
  perturb::Setup setup;  // GoogleTest has its own Setup
  const auto size = [&] { return grid_size_of(setup, {30, 20}, 2, 100, "A pond"); };
  EXPECT_EQ(format_size(size()), "30 x 20 cells");
  setup.width = 100;
  setup.height = 2;
  EXPECT_EQ(format_size(size()), "100 x 2 cells");
  for (const auto& [width, height] : {std::pair{101, 5}, {5, 101}, {1, 5}, {5, -1}}) {
    setup.width = width;
    setup.height = height;
    EXPECT_EQ(error_thrown_by(size),
              "A pond of " + format_size({width, height}) + " is not possible. Use 2 to 100 cells per side.");
  }
}

TEST(Start, MissingMemoryThrowsWithRemedy) {
  const auto backend = Backend::make_cpu(1);
  require_memory(*backend, 1, "A pond needs", "Dig less.");
  const std::string sentence =
      error_thrown_by([&] { require_memory(*backend, std::size_t{1} << 60, "A pond needs", "Dig less."); });
  EXPECT_TRUE(sentence.starts_with("A pond needs 1048576 TiB of memory, and ")) << sentence;
  EXPECT_TRUE(sentence.ends_with("are free on " + backend->device_name() + ". Dig less.")) << sentence;
}

TEST(Start, RejectsForeignAndInvalidStates) {
  State state;
  state.simulation = "pond";
  state.steps = 3;
  state.time = 0.5;
  require_state_of(state, "pond");
  EXPECT_EQ(error_thrown_by([&] { require_state_of(state, "wave"); }), "This state is of \"pond\", not of \"wave\".");
  state.steps = -1;
  EXPECT_NE(error_thrown_by([&] { require_state_of(state, "pond"); }), "");
  state.steps = 0;
  state.time = std::numeric_limits<double>::infinity();
  EXPECT_NE(error_thrown_by([&] { require_state_of(state, "pond"); }), "");
}

TEST(Shown, FindsIdsOrSuggestsNearest) {
  SimulationInfo info;
  info.quantities = {{"height", "", "", -1, 2, ""}, {"slope", "", "", 0, 1, ""}, {"speed", "", "", 0, 1, ""}};
  info.kernels = {{"plain", "", "", true, true, 1}, {"folded", "", "", true, true, 1}};
  EXPECT_EQ(quantity_index(info, ""), 0u);
  EXPECT_EQ(quantity_index(info, "speed"), 2u);
  EXPECT_EQ(kernel_index(info, "folded"), 1u);
  EXPECT_EQ(error_thrown_by([&] { quantity_index(info, "slop"); }),
            "There is no quantity \"slop\"; did you mean \"slope\"?");
  EXPECT_EQ(error_thrown_by([&] { quantity_index(info, "quaternion"); }),
            "There is no quantity \"quaternion\": choose height, slope or speed.");
  EXPECT_EQ(error_thrown_by([&] { kernel_index(info, "quaternion"); }),
            "There is no kernel \"quaternion\": choose auto, plain or folded.");

  ViewSettings view;
  EXPECT_EQ(shown_range(view, info.quantities[0]).low, -1);
  EXPECT_EQ(shown_range(view, info.quantities[0]).high, 2);
  view.minimum = 0.25;
  view.maximum = 0.5;
  EXPECT_EQ(shown_range(view, info.quantities[0]).low, 0.25);
  EXPECT_EQ(shown_range(view, info.quantities[0]).high, 0.5);
}

TEST(PositionActions, StrokesStartAtPreviousPointerPosition) {
  Gesture g;
  g.x = 0.75;
  g.y = 0.5;
  g.previous_x = 0.25;
  g.previous_y = 1.5;
  const Action line = stroke("line", g);
  check_action(
      line,
      {{"line", "", "", {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), erase_value()}}});
  const ExactCells at(line, 40, 20);
  EXPECT_EQ(at.x("x0"), 10);
  EXPECT_EQ(at.y("y0"), 30);
  EXPECT_EQ(at.x("x1"), 30);
  EXPECT_EQ(at.y("y1"), 10);
}

TEST(ExactCells, DifferFromThoseShiftedByTheShiftAlone) {
  for (const int count : {10, 128, 2000})
    for (const double fraction : {0.02, 0.1, 1. / 3, 0.7}) {
      const float here = exact_cells(fraction * count, count);
      EXPECT_NEAR(static_cast<double>(here), fraction * count, 1e-6 * count);
      for (const int cells : {1, count / 2, count}) {
        const float there = exact_cells((fraction + static_cast<double>(cells) / count) * count, count);
        EXPECT_EQ(static_cast<double>(there) - static_cast<double>(here), cells) << fraction << " of " << count;
      }
    }
}

TEST(ExactCells, AreInTheSameCellAfterRounding) {
  for (const int count : {10, 48, 1000})
    for (int cell = 0; cell < count; ++cell) EXPECT_EQ(cell_at(static_cast<double>(cell) / count * count), cell);
}

TEST(RepeatingGrid, HasTheCopiesThatReachIt) {
  const RepeatingGrid torus{10, 20, true, true}, tube{10, 20, false, true};
  const auto count = [](const Copies& c) { return (c.right - c.left + 1) * (c.high - c.low + 1); };
  EXPECT_EQ(count(torus.copies_of(3, 6, 5, 8)), 1);
  EXPECT_EQ(count(torus.copies_of(8, 12, 5, 8)), 2);
  EXPECT_EQ(count(torus.copies_of(-2, 2, 18, 22)), 4);
  EXPECT_EQ(count(tube.copies_of(-2, 2, 18, 22)), 2);
  const Copies far = torus.copies_of(33, 36, 5, 8);
  EXPECT_EQ(far.left, -3) << "it reaches the grid three widths farther left";
  EXPECT_EQ(far.right, -3);
  EXPECT_EQ(torus.column(-1), 9);
  EXPECT_EQ(tube.column(-1), -1);
  EXPECT_EQ(tube.row(45), 5);
}

TEST(PositionActions, GesturesAndActionsShareDomainMargin) {
  const std::vector<ActionKind> kinds = {{"dot", "", "", {position_x(), position_y()}}};
  for (const double at : {-2.0, 0.0, 3.0, -2.001, 3.001, std::nan("")}) {
    const bool taken = error_thrown_by([&] {
                         check_action({"dot", {{"x", at}, {"y", 0.5}}, "", nullptr}, kinds);
                       }).empty();
    EXPECT_EQ(taken, at >= -2 && at <= 3) << at;
    for (double Gesture::*coordinate : {&Gesture::x, &Gesture::y, &Gesture::previous_x, &Gesture::previous_y}) {
      Gesture g;
      g.*coordinate = at;
      EXPECT_EQ(is_near_domain(g), taken) << at;
    }
  }
  EXPECT_NE(error_thrown_by([&] { check_action({"dot", {{"x", 0.5}}, "", nullptr}, kinds); }), "") << "must be given";
}

}  // namespace
}  // namespace perturb
