// `perturb verify --presets`: its counts and its report.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cuda/core/simulation/catalog.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

class Soak : public ScratchFolder {};

TEST_F(Soak, PassesStablePreset) {
  const Outcome outcome = run("verify wave/modes --presets --minutes 0.02 --backend cpu --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["runs"].size(), 1u);
  const Json& row = json["runs"][0];
  EXPECT_EQ(row["scene"], "wave/modes");
  EXPECT_EQ(row["steps"], 72 * 16);  // 1.2 s of 60 frames of 16 steps
  EXPECT_EQ(row["not_finite"], 0);
  EXPECT_EQ(row["red"], 0);
  EXPECT_EQ(row["trouble"], "");
  EXPECT_TRUE(row["pass"]);
  EXPECT_NEAR(row["gauges"]["courant"].get<double>(), 0.707, 0.001);
}

TEST_F(Soak, FailsUnstablePreset) {
  const std::string file = path("bad.toml");
  std::ofstream(file) << "simulation = \"wave\"\ntitle = \"Too fast\"\nsize = [64, 64]\n[parameters]\ntime_step = 0.9\n"
                         "[[action]]\nkind = \"droplet\"\nx = 0.5\ny = 0.5\n";
  const Outcome outcome = run("verify " + file + " --presets --minutes 1 --backend cpu --json");
  EXPECT_EQ(outcome.code, 1);
  const Json row = Json::parse(outcome.out)["runs"][0];
  EXPECT_GT(row["red"], 0);
  EXPECT_GT(row["not_finite"], 0);
  EXPECT_NE(row["trouble"].get<std::string>().find("Lower the time step"), std::string::npos);
  EXPECT_TRUE(row["red_before_trouble"]);
  EXPECT_FALSE(row["pass"]);
}

TEST_F(Soak, ExpectedRedGaugeMustOccur) {
  const Outcome outcome = run("verify particles/missed --presets --minutes 0.02 --backend cpu --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json row = Json::parse(outcome.out)["runs"][0];
  EXPECT_GT(row["meant"], 0);
  EXPECT_EQ(row["red"], 0);
  const std::string file = path("calm.toml");
  std::ofstream(file) << "simulation = \"wave\"\ntitle = \"Calm\"\nsize = [64, 64]\npast_limit = \"courant\"\n";
  const Outcome calm = run("verify " + file + " --presets --minutes 0.01 --backend cpu --json");
  EXPECT_EQ(calm.code, 1);
  EXPECT_NE(calm.err.find("stayed below it"), std::string::npos) << calm.err;
}

TEST_F(Soak, SlidersGoToTheirEndsAndAreAnnounced) {
  SKIP_AT_SMALL_REACH("goes through all controls; tests of single ones remain");
  const Outcome outcome = run("verify wave/modes --sliders --minutes 0.01 --backend cpu --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  const Json json = Json::parse(outcome.out);
  std::size_t sliders = 0;
  for (const Parameter& p : find_simulation("wave").parameters)
    sliders += p.apply == Apply::restart || !p.choices.empty() ? 0 : 1;
  EXPECT_EQ(json["runs"].size(), 2 * sliders) << "an end that is refused has a row too, which says so";
  bool step_pushed = false;
  for (const Json& row : json["runs"])
    step_pushed = step_pushed || (row["slider"] == "time_step" && row["red"].get<int>() > 0);
  EXPECT_TRUE(step_pushed);
}

TEST_F(Soak, TestsOnlyGivenSlider) {
  const Outcome outcome = run("verify wave/modes --slider time_step --minutes 0.01 --backend cpu --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["runs"].size(), 2u);
  for (const Json& row : json["runs"]) EXPECT_EQ(row["slider"], "time_step");
  const Outcome none = run("verify wave/modes --slider colour --backend cpu");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("colour"), std::string::npos) << none.err;
}

TEST_F(Soak, SeveralAtOnceReportTheSame) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  const auto runs = [&](const std::string& at_once) {
    const Outcome outcome = run("verify wave --presets --minutes 0.001 --backend cpu --threads 1 --json" + at_once);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    // The number of checks, and so the largest gauge values, depend on the machine's speed.
    const Json json = Json::parse(outcome.out);
    Json rows;
    for (const Json& row : json["runs"]) rows.push_back({row["scene"], row["steps"], row["pass"]});
    return rows;
  };
  EXPECT_EQ(runs(" --at-once 3"), runs(""));
}

}  // namespace
}  // namespace perturb
