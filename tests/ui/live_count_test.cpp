// The number of fibers with which the window opens a scene: as many as the machine runs smoothly.
#include "app/run/live_count.h"

#include <cmath>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/state/script_file.h"
#include "app/run/run_text.h"
#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/panel_frames.h"

namespace perturb {
namespace {

// For costs of the second to the third power, on machines of very different speeds.
TEST(LiveCount, IsTheLargestThatKeepsTheLimit) {
  for (const double power : {2.0, 2.5, 3.0})
    for (const double seconds_of_one : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4}) {
      const auto duration = [&](int count) { return seconds_of_one * std::pow(count, power); };
      double sum = 0;
      const int count = live_count(10000, 0.2, [&](int measured) {
        sum += duration(measured);
        return duration(measured);
      });
      EXPECT_LE(sum, 0.2) << power << ' ' << seconds_of_one << ": the first image waits longer than a live step";
      // To two digits, of which the second is rounded down.
      EXPECT_LE(duration(count), 0.2) << power << ' ' << seconds_of_one;
      EXPECT_GT(duration(count + count / 10 + 1), 0.2) << power << ' ' << seconds_of_one;
    }
}

// As in a browser, whose clock ticks once in a millisecond.
TEST(LiveCount, KeepsTheLimitWithACoarseClock) {
  for (const double power : {2.0, 2.5, 3.0})
    for (const double seconds_of_one : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4})
      for (const int wanted : {300, 10000}) {
        const auto duration = [&](int count) { return seconds_of_one * std::pow(count, power); };
        const int count =
            live_count(wanted, 0.2, [&](int measured) { return std::floor(duration(measured) * 1e3) * 1e-3; });
        // The last measured duration has at least a tenth of the limit, and an error of a twentieth.
        EXPECT_LE(duration(count), 0.2 * 1.2) << power << ' ' << seconds_of_one << ' ' << wanted;
      }
}

TEST(LiveCount, IsThePresetsOnAFastMachine) {
  EXPECT_EQ(live_count(700, 0.2, [](int count) { return 1e-7 * count * count; }), 700);
  EXPECT_EQ(live_count(3, 0.2, [](int) { return 1e-6; }), 3);
}

TEST(LiveCount, IsOneOnAMachineThatIsTooSlow) {
  EXPECT_EQ(live_count(700, 0.2, [](int) { return 100.0; }), 1);
}

class LiveCountScene : public ScratchFolder {
 protected:
  static Scene cloud() {
    Scene scene = load_scene("fibers/cloud");
    scene.setup.width = 24;
    scene.count.is_from_machine = true;
    return scene;
  }
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(2);
};

TEST_F(LiveCountScene, ReducesOnlyBuiltInScenesWithACount) {
  for (const std::string path : {"fibers/lone", "wave/droplet", "particles/gas"}) {
    Scene scene = load_scene(path);
    const int width = scene.setup.width;
    choose_live_count(*backend_, scene);
    EXPECT_EQ(scene.setup.width, width) << path;
    EXPECT_FALSE(scene.count.is_from_machine) << path;
  }
  // A file of the user's own keeps its number.
  Scene mine =
      load_scene(write("mine.toml", "simulation = 'fibers'\ncount = 'Number of fibers'\nsize = [100000, 1]\n"));
  choose_live_count(*backend_, mine);
  EXPECT_EQ(mine.setup.width, 100000);
  // With as many fibers a step takes minutes on any processor.
  Scene many = load_scene("fibers/cloud");
  many.setup.width = many.count.preset = 20000;
  many.setup.parameters["radius"] = 40;
  choose_live_count(*backend_, many);
  EXPECT_LT(many.setup.width, 20000);
  EXPECT_GE(many.setup.width, 1);
  EXPECT_TRUE(many.count.is_from_machine);
  EXPECT_EQ(count_text(many).english(), "Number of fibers: " + std::to_string(many.setup.width) +
                                            " of 20000, as many as this computer can run smoothly.");
}

TEST_F(LiveCountScene, RestartsWithAnotherNumberAsOneUndoStep) {
  Experiment run(*backend_, cloud());
  run.advance(2);
  run.restart_with_width(30);
  EXPECT_EQ(run.setup().width, 30);
  EXPECT_EQ(run.simulation().steps(), 0);
  EXPECT_FALSE(run.scene().count.is_from_machine);
  EXPECT_NE(command_line_of(run).find("--size 30x1"), std::string::npos) << command_line_of(run);
  EXPECT_NE(script_of(run).find("30x1"), std::string::npos);
  run.undo();
  EXPECT_EQ(run.setup().width, 24);
  EXPECT_EQ(run.simulation().steps(), 2);
  EXPECT_TRUE(run.scene().count.is_from_machine);
  EXPECT_THROW(run.restart_with_width(1 << 30), InputError);
  EXPECT_EQ(run.setup().width, 24);
  Experiment tank(*backend_, load_scene("wave/droplet"));
  EXPECT_THROW(tank.restart_with_width(30), InputError);
}

TEST_F(LiveCountScene, IsShownAndOffersThePresetsNumber) {
  Experiment run(*backend_, cloud());
  Session session(run, 1);
  session.playback().set_playing(false);
  EXPECT_EQ(session.message().text.english(), count_text(run.scene()).english());
  Gui gui(Gui::Renderer::none);
  Panels panels;
  const Layout layout = make_layout(1280, 2000, 1, 1, true);
  // Its height on the screen; negative: not shown.
  const auto position_of = [&](const std::string& text) {
    lay_out(session, gui, panels, layout, 2);
    // Spaces are not reliable: "of fibers" has a narrow one.
    const auto letters = [](std::string of) {
      std::erase(of, ' ');
      return of;
    };
    for (const DrawnText& drawn : drawn_text())
      if (letters(drawn.text) == letters(text)) return static_cast<double>(drawn.box.y);
    return -1.0;
  };
  const auto shows = [&](const std::string& text) { return position_of(text) >= 0; };
  for (const bool simple : {false, true}) {
    set_preference(session, &Preferences::simple, simple);
    EXPECT_TRUE(shows("Use all 200")) << simple;
    EXPECT_TRUE(shows("Number of fibers")) << simple;
  }
  // A second click meets the row of the first, whatever number the user chooses.
  const double row = position_of("Number of fibers");
  session.execute(ChangeCount{26});
  EXPECT_EQ(run.setup().width, 26);
  EXPECT_EQ(position_of("Number of fibers"), row);
  EXPECT_TRUE(shows("Number of fibers: 26 of 200"));
  EXPECT_TRUE(shows("Use all 200"));
  EXPECT_EQ(session.message().text.english(), "Number of fibers: 26");
  session.execute(ChangeCount{200});
  EXPECT_EQ(position_of("Number of fibers"), row);
  EXPECT_FALSE(shows("Use all 200"));
}

// Scenes that the user opens begin with the chosen number, lessons with their own.
TEST_F(LiveCountScene, AppliesToScenesThatAreOpened) {
  Experiment run(*backend_, cloud());
  Session session(run, 1);
  session.playback().set_playing(false);
  session.file_opener().set_size_chooser([](Scene& scene) {
    if (!scene.count.label.empty()) {
      scene.setup.width = 10;
      scene.count.is_from_machine = true;
    }
  });
  session.execute(OpenScene{"fibers/sheet"});
  EXPECT_EQ(run.setup().width, 10);
  EXPECT_EQ(session.message().text.english(), count_text(run.scene()).english());
  session.execute(OpenLesson{"fibers/cloud-speed"});
  EXPECT_NE(run.setup().width, 10);
}

}  // namespace
}  // namespace perturb
