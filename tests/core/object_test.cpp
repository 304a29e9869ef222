// Objects as data: their actions, and what dragging a handle changes.
#include "cuda/core/simulation/object.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

ValueInfo whole_number(const char* id, double minimum, double maximum) {
  ValueInfo info = real_value(id, id, "", "", 1, minimum, maximum, "");
  info.kind = ValueKind::integer;
  return info;
}

// A bar with a middle, a half length, a direction and a number of holes; a disc that is no object.
std::vector<ActionKind> kinds_with_bar() {
  ActionKind bar, disc;
  bar.id = "bar";
  disc.id = "disc";
  bar.fields = {position_x(), position_y(), real_value("half", "Half length", "cells", "", 8, 1, 100, ""),
                real_value("angle", "Angle", "°", "", 0, -180, 180, ""), whole_number("holes", 1, 5)};
  bar.lasting = true;
  return with_objects({bar, disc}, {"bar"});
}

// On a domain of 200 by 100 cells; a handle at its right end.
SceneObject bar_at(double x, double y, double half, double angle, int id = 3) {
  SceneObject bar;
  bar.id = id;
  bar.kind = "bar";
  bar.numbers = {{"x", x}, {"y", y}, {"half", half}, {"angle", angle}, {"holes", 2}};
  const double radians = angle * std::acos(-1.0) / 180;
  bar.handles = {{"Position", x, y, {{"x", 1, 0}, {"y", 0, 1}}},
                 {"Length", x + half / 200, y, {{"half", 200, 0}}},
                 {"Angle", x + half * std::cos(radians) / 200, y + half * std::sin(radians) / 100, {}, "angle"},
                 {"Holes", x, y, {{"holes", 0, 10}}}};
  return bar;
}
Action drag_bar(const SceneObject& bar, std::size_t handle, double dx, double dy) {
  return dragged(bar, bar.handles[handle], dx, dy, 200, 100, kinds_with_bar());
}

TEST(SceneObjects, TableHasActionsThatChangeAndRemove) {
  const std::vector<ActionKind> kinds = kinds_with_bar();
  ASSERT_EQ(kinds.size(), 4u);
  EXPECT_TRUE(find_kind(kinds, "bar")->creates_object);
  EXPECT_FALSE(find_kind(kinds, "disc")->creates_object);
  const ActionKind* change = find_kind(kinds, change_kind_of("bar"));
  ASSERT_TRUE(change && find_kind(kinds, remove_object_kind));
  EXPECT_TRUE(change->changes_object && change->lasting);
  EXPECT_EQ(change->fields.size(), 6u);
  EXPECT_EQ(change->fields.front().id, object_field);
  EXPECT_THROW(with_objects({}, {"bar"}), Error);
}

TEST(SceneObjects, ChangeNeedsObjectAndKeepsOtherNumbers) {
  const std::vector<ActionKind> kinds = kinds_with_bar();
  const auto parameter = [](const std::string&) { return 1.0; };
  const Action complete = complete_action(changed(bar_at(0.5, 0.5, 8, 0), "half", 20), kinds, parameter);
  EXPECT_EQ(complete.numbers, (std::map<std::string, double>{{"object", 3}, {"half", 20}}));
  EXPECT_THROW(check_action({"change-bar", {{"half", 20}}, {}, {}}, kinds), InputError);
  EXPECT_THROW(check_action({"change-bar", {{"object", 1}, {"half", 101}}, {}, {}}, kinds), InputError);
  EXPECT_THROW(check_action({"change-bar", {{"object", 1.5}}, {}, {}}, kinds), InputError);
  EXPECT_NO_THROW(check_action(removed(bar_at(0.5, 0.5, 8, 0)), kinds));
}

TEST(SceneObjects, MissingObjectErrorListsExistingOnes) {
  const std::vector<SceneObject> objects = {bar_at(0.2, 0.5, 8, 0, 1), bar_at(0.7, 0.5, 8, 0, 4)};
  EXPECT_EQ(object_of(removed(objects[1]), objects).id, 4);
  EXPECT_EQ(find_object(objects, 2), nullptr);
  const std::string error = error_thrown_by([&] {
    object_of({remove_object_kind, {{object_field, 2}}, {}, {}}, objects);
  });
  EXPECT_EQ(error, "There is no object 2: choose one of 1, 4.");
  EXPECT_THROW(object_of(removed(objects[0]), {}), InputError);
}

TEST(SceneObjects, DragAddsToNumbersOfHandle) {
  const SceneObject bar = bar_at(0.5, 0.25, 8, 0);
  const Action moved = drag_bar(bar, 0, 0.125, -0.0625);
  EXPECT_EQ(moved.kind, "change-bar");
  EXPECT_EQ(moved.numbers, (std::map<std::string, double>{{"object", 3}, {"x", 0.625}, {"y", 0.1875}}));
  // 0.1 of 200 cells.
  const Action longer = drag_bar(bar, 1, 0.1, 0.3);
  EXPECT_EQ(longer.numbers.size(), 2u);
  EXPECT_NEAR(longer.get("half"), 28, 1e-12);
}

TEST(SceneObjects, DragEndsAtLimitsAndRoundsIntegers) {
  const SceneObject bar = bar_at(0.5, 0.5, 8, 0);
  EXPECT_EQ(drag_bar(bar, 1, 0.9, 0).get("half"), 100);
  EXPECT_EQ(drag_bar(bar, 1, -0.2, 0).get("half"), 1);
  EXPECT_EQ(drag_bar(bar, 3, 0, 0.14).get("holes"), 3);
  EXPECT_EQ(drag_bar(bar, 3, 0, 0.16).get("holes"), 4);
  EXPECT_EQ(drag_bar(bar, 3, 0, 5).get("holes"), 5);
  EXPECT_EQ(drag_bar(bar, 3, 0, -5).get("holes"), 1);
}

TEST(SceneObjects, DragTurnsWithDirectionFromFirstHandle) {
  const SceneObject bar = bar_at(0.5, 0.5, 40, 30);
  const ObjectHandle& end = bar.handles[2];
  // To the direction of 120 degrees, in cells.
  const double radians = 120 * std::acos(-1.0) / 180;
  const double dx = 0.5 + 40 * std::cos(radians) / 200 - end.x, dy = 0.5 + 40 * std::sin(radians) / 100 - end.y;
  EXPECT_NEAR(drag_bar(bar, 2, dx, dy).get("angle"), 120, 1e-9);
  // The distance does not matter.
  EXPECT_NEAR(drag_bar(bar, 2, 0.5 + 2 * (end.x + dx - 0.5) - end.x, 0.5 + 2 * (end.y + dy - 0.5) - end.y).get("angle"),
              120, 1e-9);
  EXPECT_NEAR(drag_bar(bar, 2, 0, 0).get("angle"), 30, 1e-9);
  // Past 180 degrees the angle continues at -180.
  const SceneObject back = bar_at(0.5, 0.5, 40, 170);
  const double low = 190 * std::acos(-1.0) / 180;
  const Action turned = drag_bar(back, 2, 0.5 + 40 * std::cos(low) / 200 - back.handles[2].x,
                                 0.5 + 40 * std::sin(low) / 100 - back.handles[2].y);
  EXPECT_NEAR(turned.get("angle"), -170, 1e-9);
}

}  // namespace
}  // namespace perturb
