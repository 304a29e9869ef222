// Measurements and autosave in the real window: instruments by a real pointer, videos, reports, and a killed program.
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/io/files/process.h"
#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "app/run/display_units.h"
#include "tests/support/interrupted_run.h"
#include "tests/support/real_window.h"
#include "tests/window/double_slit.h"
#include "tests/window/headless_window.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class WindowMeasuring : public RealWindow {
 protected:
  std::optional<Camera::Point> position_of(const std::string& scene, const std::string& words,
                                           const std::function<void(Session&)>& prepare) {
    return HeadlessWindow(load_scene(scene), layout_, prepare).position_of(words);
  }
  // Opens the tab of the plots, and with it the plot dock, which takes a part of the view.
  void open_plots() {
    key("m");
    layout_ = make_layout(width, height, 1, 1, true, PlotDock::default_height);
    ASSERT_TRUE(layout_.has_dock());
  }
};

TEST_F(WindowMeasuring, DrawsRulerAndListsItInReport) {
  start({"wave/droplet", "--size", "128x128", "--steps-per-frame", "1"});
  key("Escape");
  open_plots();
  const auto button =
      position_of("wave/droplet", "Ruler", [](Session& session) { session.execute(ShowTab{Tab::plots}); });
  ASSERT_TRUE(button);
  move_to(button->x, button->y);
  click(1);
  wait_for_frame();
  const double x = layout_.view_rect.width / 2, y = layout_.view_rect.height / 2;
  drag(1, x - 100, y, x + 100, y);
  wait_for_frame();
  // Its handle, and its other end by keyboard: ten pixels to the left.
  drag(1, x - 100, y, x - 50, y);
  key("shift+Right");
  key("F10");
  ASSERT_TRUE(eventually([this] { return !found("-report/run.toml").empty() || program_->ended(); })) << output();
  const auto pages = found("-report/index.html"), numbers = found("-report/numbers.txt");
  ASSERT_EQ(pages.size(), 1U);
  ASSERT_EQ(numbers.size(), 1U);
  const std::string text = text_of(numbers.front());
  const std::size_t line = text.find("Ruler 1: ");
  ASSERT_NE(line, std::string::npos) << text;
  // The domain, 12.8 cm high, is as high as the view.
  EXPECT_NEAR(std::stod(text.substr(line + 9)), 140 * 12.8 / layout_.view_rect.height, 0.005) << text;
  EXPECT_NE(text.find(" cm\n", line), std::string::npos) << text;
  EXPECT_NE(text_of(pages.front()).find("Ruler 1"), std::string::npos);
  // Clicks next to instruments go to the tool: the script has one droplet, and none from the ruler.
  EXPECT_EQ(text_of(found("-report/run.toml").front()).find("droplet\"\nx"), std::string::npos);
  quit();
}

TEST_F(WindowMeasuring, RecordsExactNumberOfFrames) {
  if (find_program("ffmpeg").empty() || find_program("ffprobe").empty()) GTEST_SKIP() << "ffmpeg is not installed";
  start({"wave/droplet", "--size", "64x64", "--steps-per-frame", "2"});
  key("ctrl+e");
  const auto row =
      position_of("wave/droplet", "Length", [](Session& session) { session.execute(CommandId::export_files); });
  ASSERT_TRUE(row);
  move_to(row->x, row->y);
  wait_for_frame();
  ASSERT_EQ(xdotool({"click", "--repeat", "2", "--delay", "60", "1", "key", "1", "key", "Return"}), 0);
  key("Escape");
  key("F9");
  ASSERT_TRUE(eventually([this] { return !found(".mp4").empty() || program_->ended(); })) << output();
  const fs::path film = found(".mp4").front();
  Process probe({"sh", "-c",
                 "ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 '" +
                     film.string() + "' > '" + (folder_ / "frames").string() + "'"},
                folder_, {});
  ASSERT_TRUE(eventually([&] { return probe.ended(); }));
  EXPECT_EQ(text_of(folder_ / "frames"), "60\n") << "a second of film";
  quit();
}

TEST_F(WindowMeasuring, KeepsRecordedFramesOnEscape) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "ffmpeg is not installed";
  start({"wave/droplet", "--size", "64x64", "--steps-per-frame", "2"});
  key("Escape");
  key("F9");
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(screenshot());
  key("Escape");
  ASSERT_TRUE(eventually([this] { return !found(".mp4").empty() || program_->ended(); })) << output();
  EXPECT_GT(fs::file_size(found(".mp4").front()), 500U);
  quit();
}

TEST_F(WindowMeasuring, ResumesKilledRun) {
  start({"wave/rain", "--size", "64x64", "--steps-per-frame", "64"});
  ASSERT_TRUE(eventually([this] { return !found("words").empty() || program_->ended(); })) << output();
  program_->send(SIGKILL);
  ASSERT_TRUE(eventually([this] { return program_->ended(); }));
  const auto kept = found("state.perturb");
  ASSERT_EQ(kept.size(), 1U);
  const std::int64_t steps = load_state(kept.front().string()).steps;
  ASSERT_GT(steps, 0);

  start({"wave/droplet", "--size", "64x64", "--steps-per-frame", "1"});
  key("Escape");
  key("n");  // pauses
  const std::string other = (folder_ / "other-sessions").string();
  leave_interrupted_run(other, {"{} at step {}", std::string("wave/rain"), 12345});
  const auto button =
      position_of("wave/droplet", "Continue", [&](Session& session) { session.autosave_controller().enable(other); });
  fs::remove_all(other);
  ASSERT_TRUE(button);
  move_to(button->x, button->y);
  wait_for_frame();
  click(1);
  ASSERT_TRUE(eventually([&] { return !fs::exists(kept.front()) || program_->ended(); })) << output();
  const auto state = saved_state();
  ASSERT_FALSE(state.empty());
  const State now = load_state(state.string());
  EXPECT_EQ(now.preset, "rain");
  EXPECT_GE(now.steps, steps);
  quit();
  // It exited cleanly: no recovery is offered.
  EXPECT_TRUE(found("state.perturb").empty());
}

// A user's first complete measurement: finds the fringes in the view, measures them with a ruler, compares them with
// path differences of a wavelength, erases a third slit, and exports the data.
TEST_F(WindowMeasuring, MeasuresFringesAsNewUser) {
  const Scene scene = load_scene("wave/double-slit");
  start({"wave/double-slit", "--quantity", "intensity", "--range", "0,0.0004", "--steps-per-frame", "200"});
  key("Escape");
  const auto picture = play_until(3600);  // the mean has settled
  ASSERT_TRUE(picture);

  // From the preset's own numbers: plane waves of 20 lengths, gaps 64.5 apart, the screen 188 behind the wall.
  const DoubleSlit slits(scene.setup, layout_);
  const double theory = slits.fringe();
  const double above = slits.brightest(*picture, 0.5 * theory, 1.5 * theory),
               below = slits.brightest(*picture, -1.5 * theory, -0.5 * theory);

  const Layout without_dock = layout_;
  open_plots();
  const auto button =
      position_of("wave/double-slit", "Ruler", [](Session& session) { session.execute(ShowTab{Tab::plots}); });
  ASSERT_TRUE(button);
  move_to(button->x, button->y);
  click(1);
  key("F8");  // closes the plots: the view is again as it was in the image
  layout_ = without_dock;
  wait_for_frame();
  const auto full = screenshot();
  ASSERT_TRUE(full);
  ASSERT_EQ(full->height, picture->height);
  drag(1, slits.column(), above, slits.column(), below);
  wait_for_frame();
  key("2");  // the wall tool; the right button erases
  const double wall = slits.pixel(slits.wall(), 0.5).x;
  drag(3, wall, slits.pixel(0.5, 0.52).y, wall, slits.pixel(0.5, 0.48).y);
  wait_for_frame();
  key("F10");
  ASSERT_TRUE(eventually([this] { return !found("-report/run.toml").empty() || program_->ended(); })) << output();
  const std::string text = text_of(found("-report/numbers.txt").front());
  const std::size_t line = text.find("Ruler 1: ");
  ASSERT_NE(line, std::string::npos) << text;
  const double measured = std::stod(text.substr(line + 9)) / display_unit(scene.units, "length").factor;
  EXPECT_NEAR(measured / 2, theory, 0.03 * theory) << text;
  const std::string script = text_of(found("-report/run.toml").front());
  EXPECT_NE(script.find("--instrument"), std::string::npos) << script;
  EXPECT_NE(script.find("[[event]]"), std::string::npos) << "the third slit is in it: " << script;
  EXPECT_NE(text_of(found("-report/curves.csv").front()).find("screen,"), std::string::npos);
  EXPECT_GT(fs::file_size(found("-report/picture.png").front()), 10000U);
  const std::string page = text_of(found("-report/index.html").front());
  EXPECT_NE(page.find("<svg"), std::string::npos) << "the curves";
  quit();
}

}  // namespace
}  // namespace perturb
