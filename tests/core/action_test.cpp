#include "cuda/core/simulation/action.h"

#include <limits>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

std::vector<ActionKind> kinds() {
  const double required = std::numeric_limits<double>::quiet_NaN();
  ActionKind drop{"drop", "Drop", "Lets something fall.", {}, false};
  drop.fields = {real_value("x", "x", "", "", required, 0, 1, ""),
                 real_value("weight", "Weight", "kg", "m", 1, 0, 5, "")};
  ActionKind stencil{"stencil", "Stencil", "Paints from a picture.", {}, true};
  return {drop, stencil};
}

std::string error_of(const Action& action) {
  return error_thrown_by([&] { check_action(action, kinds()); });
}

TEST(Action, AcceptsKnownActions) {
  EXPECT_EQ(error_of({"drop", {{"x", 0.5}}, "", nullptr}), "");
  EXPECT_EQ(error_of({"drop", {{"x", 0.5}, {"weight", 2}}, "", nullptr}), "");
}

TEST(Action, RejectionsStateReason) {
  EXPECT_EQ(error_of({"dorp", {}, "", nullptr}), "There is no action \"dorp\"; did you mean \"drop\"?");
  EXPECT_EQ(error_of({"drop", {}, "", nullptr}), "The action \"drop\" needs x. Add it.");
  EXPECT_EQ(error_of({"drop", {{"x", 0.5}, {"wieght", 1}}, "", nullptr}),
            "The action \"drop\" has no \"wieght\"; did you mean \"weight\"?");
  EXPECT_EQ(error_of({"drop", {{"x", 3.0}}, "", nullptr}),
            "In the action \"drop\", x cannot be 3: it takes a number from 0 to 1.");
  EXPECT_EQ(error_of({"stencil", {}, "", nullptr}), "The action \"stencil\" needs an image file.");
  const auto image = std::make_shared<GreyImage>();
  EXPECT_EQ(error_of({"stencil", {}, "a.png", image}), "The image \"a.png\" is empty.");
  image->width = 2;
  image->height = 1;
  image->values = {0.5f};
  EXPECT_EQ(error_of({"stencil", {}, "a.png", image}), "The image \"a.png\" is empty.") << "less than its size says";
  image->values = {0.5f, 1.f};
  EXPECT_EQ(error_of({"stencil", {}, "a.png", image}), "");
}

TEST(Action, EndsOfALineHaveDifferentNames) {
  const std::vector<ValueInfo> fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1")};
  std::vector<std::string> labels;
  for (const ValueInfo& field : fields) labels.push_back(field.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"Start x", "Start y", "End x", "End y"}));
  EXPECT_EQ(position_x().label, "x");
  EXPECT_EQ(fields[0].id, "x0") << "files and scripts keep the ids";
}

TEST(Action, CompletesMissingNumbers) {
  std::vector<ActionKind> stated = kinds();
  ValueInfo speed = real_value("speed", "Speed", "m/s", "v", std::numeric_limits<double>::quiet_NaN(), 0, 9, "");
  speed.as_parameter = "usual_speed";
  stated[0].fields.push_back(speed);
  const auto parameter = [](const std::string& id) { return id == "usual_speed" ? 7.0 : 0.0; };

  const Action bare = complete_action({"drop", {{"x", 0.5}}, "", nullptr}, stated, parameter);
  EXPECT_EQ(bare.get("weight"), 1);
  EXPECT_EQ(bare.get("speed"), 7);
  const Action full =
      complete_action({"drop", {{"x", 0.5}, {"weight", 2}, {"speed", 3}}, "", nullptr}, stated, parameter);
  EXPECT_EQ(full.get("weight"), 2);
  EXPECT_EQ(full.get("speed"), 3);
  EXPECT_THROW(complete_action({"drop", {}, "", nullptr}, stated, parameter), InputError);
  EXPECT_THROW(bare.get("height"), Error);
}

}  // namespace
}  // namespace perturb
