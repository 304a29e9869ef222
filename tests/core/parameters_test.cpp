#include "cuda/core/simulation/parameters.h"

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

enum class Kind { soft, hard };
struct Settings {
  double stiffness = 2.5;
  int count = 4;
  bool loud = true;
  Kind kind = Kind::hard;
};

std::span<const Parameter> table() {
  static const Parameter list[] = {
      parameter<&Settings::stiffness>("stiffness", "Stiffness", "N/m", "k", 0.1, 100, "How stiff it is.")
          .with_scale(Scale::logarithmic),
      parameter<&Settings::count>("count", "Count", "", "n", 1, 10, "How many.").with_restart(),
      parameter<&Settings::loud>("loud", "Loud", "", "", 0, 1, "Whether it is loud.").with_former_id("noisy"),
      parameter<&Settings::kind>("kind", "Kind", "", "", 0, 1, "Which kind.")
          .with_choices({{"soft", "Soft"}, {"hard", "Hard"}}),
  };
  return list;
}

TEST(Parameters, DefaultsComeFromTheStruct) {
  EXPECT_EQ(table()[0].initial, 2.5);
  EXPECT_EQ(table()[1].initial, 4);
  EXPECT_EQ(table()[1].kind, ValueKind::integer);
  EXPECT_EQ(table()[1].apply, Apply::restart);
  EXPECT_EQ(table()[2].kind, ValueKind::boolean);
  EXPECT_EQ(table()[3].initial, 1);
  EXPECT_EQ(table()[3].kind, ValueKind::choice);
}

TEST(Parameters, SetReachesTheMember) {
  Settings settings;
  ParameterSet set(table(), &settings);
  set.set("stiffness", 10);
  set.set_text("kind", "soft");
  set.set_text("loud", "off");
  EXPECT_EQ(settings.stiffness, 10);
  EXPECT_EQ(settings.kind, Kind::soft);
  EXPECT_FALSE(settings.loud);
}

TEST(Parameters, RejectedValueKeepsOldOne) {
  Settings settings;
  ParameterSet set(table(), &settings);
  EXPECT_THROW(set.set("stiffness", 1000), InputError);
  EXPECT_THROW(set.set("count", 2.5), InputError);
  EXPECT_EQ(settings.stiffness, 2.5);
  EXPECT_EQ(settings.count, 4);
}

TEST(Parameters, AFormerIdFindsTheRecord) {
  Settings settings;
  ParameterSet set(table(), &settings);
  set.set_text("noisy", "off");
  EXPECT_FALSE(settings.loud);
  EXPECT_EQ(set.find("noisy").id, "loud");
  EXPECT_EQ(find_parameter(table(), ""), nullptr) << "most records have no former id";
}

TEST(Parameters, UnknownNameSuggestsNearest) {
  Settings settings;
  ParameterSet set(table(), &settings);
  const std::string error = error_thrown_by([&] { set.set("stifness", 1); });
  EXPECT_EQ(error, "There is no parameter \"stifness\"; did you mean \"stiffness\"?");
}

}  // namespace
}  // namespace perturb
