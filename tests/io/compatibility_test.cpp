// Files that an earlier version wrote (tests/io/before/README.md): they open, and their runs continue to the same
// fields.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "app/io/files/settings_file.h"
#include "app/io/preset/lesson_text.h"
#include "app/io/state/state_file.h"
#include "cuda/core/simulation/state.h"
#include "tests/support/files_scratch.h"
#include "tests_places.h"

namespace perturb {
namespace {

const std::string before = PERTURB_SOURCE_DIR "/tests/io/before/";

// The parameter is a simulation's id.
class EarlierVersion : public ScratchFolder, public testing::WithParamInterface<std::string> {};

TEST_P(EarlierVersion, StateContinuesToTheSameFields) {
  const std::string& id = GetParam();
  const Outcome outcome =
      run("--load '" + before + id + ".perturb' --headless --backend cpu --steps 12 --save later.perturb");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const State earlier = load_state(before + id + ".perturb"), later = load_state(path("later.perturb"));
  EXPECT_EQ(later.steps, earlier.steps + 12);
  for (const auto& [name, value] : earlier.parameters) EXPECT_TRUE(later.parameters.contains(name)) << name;
  if (id == "membrane") return;  // only its start is kept here: half a megabyte
  const State expected = load_state(before + id + "-later.perturb");
  EXPECT_EQ(later.time, expected.time);
  for (const auto& [name, field] : expected.datasets) {
    ASSERT_TRUE(later.datasets.contains(name)) << name;
    EXPECT_EQ(later.datasets.at(name).bytes, field.bytes) << name;
  }
}

TEST_P(EarlierVersion, ScriptRunsToItsEnd) {
  const Outcome outcome =
      run("--script '" + before + GetParam() + ".toml' --headless --backend cpu --save end.perturb");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(load_state(path("end.perturb")).steps, 40);
}

INSTANTIATE_TEST_SUITE_P(Simulation, EarlierVersion, testing::Values("wave", "lbm", "particles", "fibers", "membrane"),
                         [](const auto& parameter) { return parameter.param; });

class EarlierFiles : public ScratchFolder {};

TEST_F(EarlierFiles, SettingsKeepTheirValues) {
  std::filesystem::copy_file(before + "settings.json", path("settings.json"));
  Message note;
  const Settings settings = SettingsFile(path("settings.json"), &note).settings();
  EXPECT_EQ(note, "");
  EXPECT_EQ(settings.open, "wave/rain");
  EXPECT_EQ(settings.theme, "light");
  EXPECT_EQ(settings.language, "de");
}

TEST_F(EarlierFiles, LessonOpensWithItsTheme) {
  const Outcome outcome = run("lesson '" + before + "lesson.toml' --headless --backend cpu --step 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(EarlierFiles, OptionsKeepTheirOldNames) {
  const Outcome outcome =
      run("wave/rain --size 32x24 --headless --backend cpu --steps 3 --look light --screenshot end.png");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(path("end.png")));
}

}  // namespace
}  // namespace perturb
