// A first user's whole session in the window, from the first scene: finds the double slit, measures its fringes,
// compares them with theory, opens a third slit, records a video and exports the data; then a teacher makes a lesson of
// it.
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/io/files/process.h"
#include "app/io/preset/presets.h"
#include "app/lessons/lesson_session.h"
#include "app/run/display_units.h"
#include "tests/support/real_window.h"
#include "tests/window/double_slit.h"
#include "tests/window/headless_window.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class WindowFirstUser : public RealWindow {
 protected:
  static void open_export_dialog(HeadlessWindow& headless) {
    InterfaceState state = headless.session().interface();
    state.overlay = Overlay::export_files;
    headless.session().set_interface(std::move(state));
    headless.frames(4);
  }
  void click_text(HeadlessWindow& headless, const std::string& words) {
    const auto at = headless.position_of(words);
    ASSERT_TRUE(at);
    move_to(at->x, at->y);
    wait_for_frame();
    click(1);
    wait_for_frame();
    headless.click(*at);
  }
  // Rows of one kind of a curve, x and y, from an exported file.
  static std::vector<CurvePoint> curve_in(const std::string& csv, const std::string& id, const std::string& kind) {
    std::vector<CurvePoint> points;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      if (cells.size() < 6 || cells[0] != id || cells[5] != kind) continue;
      points.push_back({std::stod(cells[1]), std::stod(cells[3])});
    }
    return points;
  }
};

// The position of the highest point within an interval.
double peak_of(const std::vector<CurvePoint>& curve, double from, double to) {
  CurvePoint best{0, -1};
  for (const CurvePoint& point : curve)
    if (point.x >= from && point.x <= to && point.y > best.y) best = point;
  return best.x;
}

TEST_F(WindowFirstUser, CompletesFirstSession) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "ffmpeg is not installed";
  const Scene scene = load_scene("wave/double-slit");
  start({"--steps-per-frame", "200"});
  key("n");  // one step, and a pause: no computing while the panels are used
  // Finds it among all scenes by a search term.
  key("F3");
  wait_for_typing();
  ASSERT_EQ(xdotool({"type", "double slit"}), 0);
  wait_for_typing();
  key("Return");
  ASSERT_TRUE(eventually([this] { return screenshot() && last_name_.find("double-slit") != std::string::npos; }))
      << last_name_ << output();
  key("n");
  // Shows the intensity: the tab View, its list.
  HeadlessWindow headless(scene, layout_);
  click_text(headless, "View");
  click_text(headless, "Quantity");
  click_text(headless, "Mean intensity");
  ASSERT_EQ(headless.session().view().settings().quantity, "intensity");
  key("space");
  ASSERT_TRUE(play_until(3600));

  // Opens the plots, below the view, which becomes lower.
  key("m");
  headless.session().execute(ShowTab{Tab::plots});
  headless.frames(4);
  const double full_height = layout_.view_rect.height;
  layout_ = headless.layout();
  ASSERT_TRUE(layout_.has_dock());
  ASSERT_LT(layout_.view_rect.height, full_height);
  wait_for_frame();
  const auto picture = screenshot();
  ASSERT_TRUE(picture);
  ASSERT_EQ(picture->height, layout_.viewport().height) << "the program's view has the same size";

  // The bright fringes next to the middle one, as seen: along the screen, at its position in the preset.
  const DoubleSlit slits(scene.setup, layout_);
  const double theory = slits.fringe();
  const double above = slits.brightest(*picture, 0.5 * theory, 1.5 * theory),
               below = slits.brightest(*picture, -1.5 * theory, -0.5 * theory);

  // A ruler from one to the other.
  click_text(headless, "Ruler");
  drag(1, slits.column(), above, slits.column(), below);
  wait_for_frame();

  // The data with theory: a button in the export dialog.
  key("ctrl+e");
  open_export_dialog(headless);
  click_text(headless, "Curves as CSV");
  ASSERT_TRUE(eventually([this] { return !found(".csv").empty() || program_->ended(); })) << output();
  key("Escape");
  const std::string csv = text_of(found(".csv").front());
  std::vector<CurvePoint> expected = curve_in(csv, "screen", "theory"), measured = curve_in(csv, "screen", "measured");
  // The window's files have the scene's units.
  const double unit = display_unit(scene.units, "length").factor;
  EXPECT_EQ(unit, 0.1) << "cm";
  for (std::vector<CurvePoint>* curve : {&expected, &measured})
    for (CurvePoint& point : *curve) point.x /= unit;
  ASSERT_GT(expected.size(), 100U) << csv.substr(0, 400);
  const double half = 0.5 * scene.setup.height;
  const double by_theory = peak_of(expected, half + 0.6 * theory, half + 1.4 * theory) -
                           peak_of(expected, half - 1.4 * theory, half - 0.6 * theory);
  const double by_curve = peak_of(measured, half + 0.6 * theory, half + 1.4 * theory) -
                          peak_of(measured, half - 1.4 * theory, half - 0.6 * theory);
  EXPECT_NEAR(by_curve / by_theory, 1, 0.03) << "the run's curve compared with theory";
  EXPECT_NEAR(by_theory / 2, theory, 0.03 * theory) << "theory's curve compared with path differences";

  // A third slit between the two: with the wall tool, the right button erases.
  key("2");
  const double wall = slits.pixel(slits.wall(), 0.5).x;
  drag(3, wall, slits.pixel(0.5, 0.52).y, wall, slits.pixel(0.5, 0.48).y);
  wait_for_frame();
  // A video of a second, and all of it in a report.
  key("ctrl+e");
  open_export_dialog(headless);
  const auto length = headless.position_of("Length");
  ASSERT_TRUE(length);
  move_to(length->x, length->y);
  wait_for_frame();
  ASSERT_EQ(xdotool({"click", "--repeat", "2", "--delay", "60", "1", "key", "1", "key", "Return"}), 0);
  key("Escape");
  for (int k = 0; k < 7; ++k) key("minus");  // slower, for the video
  key("F9");
  ASSERT_TRUE(patiently([this] { return !found(".mp4").empty() || program_->ended(); })) << output();
  EXPECT_GT(fs::file_size(found(".mp4").front()), 1000U);
  key("F10");
  ASSERT_TRUE(eventually([this] { return !found("-report/run.toml").empty() || program_->ended(); })) << output();
  const std::string numbers = text_of(found("-report/numbers.txt").front());
  const std::size_t line = numbers.find("Ruler 1: ");
  ASSERT_NE(line, std::string::npos) << numbers;
  EXPECT_NEAR(std::stod(numbers.substr(line + 9)) / unit, by_theory, 0.03 * by_theory) << numbers;
  const std::string script = text_of(found("-report/run.toml").front());
  EXPECT_NE(script.find("action = \"wall-line\""), std::string::npos) << "the third slit is in it: " << script;
  quit();
}

TEST_F(WindowFirstUser, CreatesLessonFromSavedPreset) {
  // In the window: the third slit, saved under a name.
  start({"wave/double-slit", "--size", "192x128", "--steps-per-frame", "4"});
  ASSERT_TRUE(paused_image());
  const Scene scene = load_scene("wave/double-slit");
  const Viewport view = layout_.viewport();
  const auto pixel = [&](double x, double y) {
    return Camera().to_pixel(x, y, view.width, view.height, scene.setup.width, scene.setup.height);
  };
  key("2");
  drag(3, pixel(0.305, 0.5).x, pixel(0.5, 0.52).y, pixel(0.305, 0.5).x, pixel(0.5, 0.48).y);
  wait_for_frame();
  key("ctrl+p");
  wait_for_typing();
  ASSERT_EQ(xdotool({"key", "ctrl+a"}), 0);
  ASSERT_EQ(xdotool({"type", "Three slits"}), 0);
  key("Return");
  ASSERT_TRUE(eventually([this] { return !found("presets/wave/three-slits.toml").empty() || program_->ended(); }))
      << output();
  quit();
  // In an editor: a lesson about that scene, with a curve to be drawn, in a light theme for the projector.
  const fs::path folder =
      found("presets/wave/three-slits.toml").front().parent_path().parent_path().parent_path() / "lessons/wave";
  fs::create_directories(folder);
  const auto lesson_about = [](const std::string& path) {
    return "title = 'Three slits'\nsummary = 'What a third slit adds.'\ntheme = 'light'\n\n[[step]]\n"
           "title = 'Draw it'\ntext = 'Three slits now. What falls on the screen?'\nscene = '" +
           path +
           "'\nsteps = 600\ntools = []\nunlocked = []\n[step.question]\ntext = 'The light along the screen'\n"
           "[step.question.sketch]\ncurve = 'screen'\nx = [0, 128]\ny = [0, 1]\nx_label = 'place'\n"
           "free_height = true\n";
  };
  std::ofstream(folder / "three.toml") << lesson_about("three-slits");
  // The lesson as a pupil takes it: draws a horizontal line from edge to edge of the empty plot.
  start_command({"lesson", "wave/three"}, 1280, 720);
  HeadlessWindow headless(scene, layout_);
  LessonSession run(std::make_shared<const Lesson>(parse_lesson(lesson_about("double-slit"), "l.toml", "wave", "l")));
  run.begin_step(0);
  headless.session().lessons().show(run);
  headless.frames(4);
  const auto pad = headless.position_of("Draw here"), answer = headless.position_of("Answer");
  ASSERT_TRUE(pad && answer);
  ASSERT_TRUE(eventually([this] { return screenshot() || program_->ended(); })) << output();
  const double left = layout_.column.x + 24, right = layout_.column.x + layout_.column.width - 24;
  drag(1, left, pad->y, right, pad->y - 20);
  wait_for_frame();
  move_to(answer->x, answer->y);
  wait_for_frame();
  click(1);
  const auto progress = [this] {
    const auto files = found("lessons.json");
    return files.empty() ? std::string() : text_of(files.front());
  };
  EXPECT_TRUE(eventually([&] { return progress().find("\"of\": 2") != std::string::npos || program_->ended(); }))
      << progress() << output();
  quit();
}

}  // namespace
}  // namespace perturb
