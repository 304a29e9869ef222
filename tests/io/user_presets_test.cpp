// User presets: a preset saved from the window under a title starts like the scene, and is found again.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/session/session.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/files_scratch.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class UserPreset : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    const char* now = std::getenv("XDG_DATA_HOME");
    before_ = now ? now : "";
    setenv("XDG_DATA_HOME", path("data").c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("XDG_DATA_HOME");
    else
      setenv("XDG_DATA_HOME", before_.c_str(), 1);
    ScratchFolder::TearDown();
  }
  static Scene small(const std::string& path) { return scene_of_width(path, 48, 12); }
  void handle(Session& session) { session.handle({}, make_layout(800, 600, 1, 1, true), Session::Keyboard::free); }
  void save(Session& session, const std::string& title) {
    session.post(SavePreset{title});
    handle(session);
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);

 private:
  std::string before_;
};

TEST_F(UserPreset, RestoresSceneWithAllActions) {
  save_png({2, 2, {0xFF000000u, 0xFFFFFFFFu, 0xFF808080u, 0xFF202020u}}, path("map.png"));
  Experiment experiment(*backend_, small("wave/droplet"));
  Session session(experiment, 24);
  experiment.perform(
      {"wall-line", {{"x0", 0.1}, {"y0", 0.2}, {"x1", 0.3}, {"y1", 0.25}, {"thickness", 3}}, "", nullptr});
  experiment.advance(3);
  experiment.perform({"speed-image", {{"from", 0.5}}, "/elsewhere/map.png", load_grey_image(path("map.png"))});
  experiment.set_parameter("damping", 0.0125);
  handle(session);
  ViewSettings view = session.view().settings();
  view.quantity = "height";
  view.minimum = -0.5;
  view.maximum = 0.25;
  session.execute(ChangeView{view, session.view().centred()});
  session.view().camera().zoom = 2;
  session.post(CommandId::save_preset);
  handle(session);
  EXPECT_EQ(session.interface().overlay, Overlay::save_preset);
  EXPECT_EQ(session.presets().prompt().title, "My Droplet");
  save(session, "Tank \"A\" & more");
  EXPECT_EQ(session.presets().prompt().error, "");
  EXPECT_EQ(session.interface().overlay, Overlay::none);
  const std::string file = path("data/perturb/presets/wave/tank-a-more.toml");
  ASSERT_TRUE(std::filesystem::exists(file)) << session.message().text;
  EXPECT_EQ(session.interface().browsing.recent.front(), file);

  const auto saved = load_scene(file);
  EXPECT_EQ(saved.title, "Tank \"A\" & more");
  EXPECT_EQ(saved.setup.width, 48);
  EXPECT_EQ(saved.steps_per_frame, 24);
  EXPECT_EQ(saved.setup.parameters.at("damping"), 0.0125);
  EXPECT_EQ(saved.view.minimum, -0.5);
  EXPECT_EQ(saved.camera.zoom, 2);
  // Bit-identical to the scene with these actions applied before its first step.
  auto expected = small("wave/droplet");
  expected.setup.parameters["damping"] = 0.0125;
  for (const Event& event : experiment.log())
    if (const auto* action = std::get_if<Action>(&event.change)) expected.setup.actions.push_back(*action);
  Experiment mine(*backend_, saved), theirs(*backend_, expected);
  for (Experiment* one : {&mine, &theirs}) one->advance(20);
  for (double x = 0.02; x < 1; x += 0.06)
    for (double y = 0.02; y < 1; y += 0.06)
      EXPECT_EQ(mine.simulation().value_at(x, y, saved.view), theirs.simulation().value_at(x, y, saved.view));
  // Found by its name and in lists, and saving it again gives the same text.
  EXPECT_EQ(load_scene("wave/tank-a-more").title, saved.title);
  EXPECT_EQ(find_user_presets(user_presets_folder()).presets.size(), 1u);
  EXPECT_NE(run("list wave").out.find("wave/tank-a-more"), std::string::npos);
  EXPECT_NE(run("list wave --json").out.find("\"scene\": \"wave/tank-a-more\""), std::string::npos);
  EXPECT_EQ(text_of_preset(saved), read("data/perturb/presets/wave/tank-a-more.toml"));
  EXPECT_EQ(run("wave/tank-a-more --headless --steps 2 --backend cpu").code, 0);
}

// The speed that the user sees is kept, not how many of its steps a slow machine took in the last frame.
TEST_F(UserPreset, KeepsTheSpeedOfASlowWindow) {
  Experiment experiment(*backend_, small("wave/droplet"));
  Session session(experiment, 8);
  handle(session);
  session.pace().set_unit(Pace::Unit::per_second);
  EXPECT_EQ(session.pace().speed(), 480);
  for (int frame = 0; frame < 4; ++frame) {
    session.pace().elapse(0.25);
    session.pace().take();
  }
  save(session, "Slow");
  EXPECT_EQ(load_scene("wave/slow").steps_per_frame, 8);
}

TEST_F(UserPreset, IsCalledByItsShortName) {
  Experiment experiment(*backend_, small("wave/droplet"));
  Session session(experiment, 8);
  save(session, "My tank");
  EXPECT_EQ(run("wave/my-tank --headless --steps 2 --backend cpu").out.substr(0, 13), "wave/my-tank:");
  const Outcome timed = run("bench wave/my-tank --presets --backend cpu --json");
  EXPECT_EQ(timed.code, 0) << timed.err;
  EXPECT_NE(timed.out.find("my-tank"), std::string::npos) << timed.out;
  EXPECT_NE(timed.out.find("seconds_per_step"), std::string::npos) << timed.out;
}

TEST_F(UserPreset, OpensByItsListedNameUnderABuiltInTitle) {
  Experiment experiment(*backend_, small("wave/rain"));
  Session session(experiment, 8);
  save(session, "Rain");
  save(session, "Tank");
  const UserPresets own = find_user_presets(user_presets_folder());
  ASSERT_EQ(own.presets.size(), 2u);
  const auto listed = nlohmann::json::parse(run("list wave --json").out)["simulations"][0]["own_presets"];
  ASSERT_EQ(listed.size(), 2u);
  for (const auto& preset : listed) {
    const std::string name = preset["scene"];
    EXPECT_EQ(load_scene(name).setup.width, 48) << name << " is the built-in one";
    EXPECT_EQ(load_scene(name).title, preset["title"].get<std::string>());
    EXPECT_NE(run("list wave").out.find(name), std::string::npos) << name;
  }
}

TEST_F(UserPreset, OpensForEverySimulation) {
  for (const SimulationInfo* info : catalog()) {
    Experiment experiment(*backend_, small(info->id));
    Session session(experiment, 1);
    experiment.advance(1);
    save(session, "Mine");
    const auto saved = load_scene(info->id + "/mine");
    EXPECT_EQ(saved.title, "Mine") << info->id;
    Experiment again(*backend_, saved);
    again.advance(1);
    EXPECT_EQ(again.stop_reason(), "") << info->id;
  }
}

TEST_F(UserPreset, ThrowsInputErrorForBrokenFile) {
  Experiment experiment(*backend_, small("wave/droplet"));
  Session session(experiment, 1);
  session.post(CommandId::save_preset);
  save(session, "  ");
  EXPECT_NE(session.presets().prompt().error.english().find("title"), std::string::npos);
  write("data", "");  // a file in place of the folder
  save(session, "Mine");
  EXPECT_NE(session.presets().prompt().error.english().find("permissions"), std::string::npos)
      << session.presets().prompt().error.english();
  EXPECT_EQ(session.interface().overlay, Overlay::save_preset) << "what was typed stays";
  const auto state = std::make_shared<const State>(experiment.simulation().save());
  experiment.open(scene_of(*state), *state);
  save(session, "Mine");
  EXPECT_NE(session.presets().prompt().error.english().find("Save its state"), std::string::npos);
}

}  // namespace
}  // namespace perturb
