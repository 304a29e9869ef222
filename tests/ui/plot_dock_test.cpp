// The plot dock: opened by keys, tab and switches, resized, zoomed and panned with the pointer, read at a cursor.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/files/settings_file.h"
#include "app/io/preset/presets.h"
#include "app/ui/panels/panels.h"
#include "app/ui/plots/plot_list.h"
#include "app/ui/widgets/gui.h"
#include "tests/contract/small_scene.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/sanitized.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

class PlotDockTest : public ScratchFolder {
 protected:
  void open(const std::string& scene_name) { open(load_scene(scene_name)); }
  void open(Scene scene) {
    if (scene.setup.simulation == "wave") scene.setup.width = scene.setup.height = 48;
    experiment_ = std::make_unique<Experiment>(*backend_, scene);
    session_ = std::make_unique<Session>(*experiment_, 2);
    for (int k = 0; k < 30; ++k) {
      session_->pace().forget();
      session_->advance();
      session_->observe(true);
      session_->end_frame(0.1, 0.004);
    }
    session_->playback().set_playing(false);
    draw();
  }
  void draw(int passes = 3) {
    for (int k = 0; k < passes; ++k) {
      session_->handle({}, layout_, Session::Keyboard::free, panels_.feedback());
      layout_ = make_layout(width_, height_, 1, 1, session_->interface().panels, session_->interface().dock_height());
      session_->observe(true);
      gui_.begin_frame(layout_, 1.0 / 60);
      panels_.draw(*session_, gui_.style(), layout_, {"host-mapped", ""});
      gui_.end_frame();
    }
  }
  void pointer(double x, double y, bool down = false, float wheel = 0) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
    io.MouseDown[0] = down;
    io.MouseWheel = wheel;
    draw(1);
    io.MouseWheel = 0;
  }
  void key(const std::string& name) {
    InputEvent press;
    press.kind = InputEvent::Kind::key_press;
    press.key = name;
    session_->handle({press}, layout_, Session::Keyboard::free, panels_.feedback());
    draw();
  }
  // Texts in the dock.
  std::vector<DrawnText> texts() const {
    std::vector<DrawnText> all;
    for (const DrawnText& t : drawn_text())
      if (layout_.has_dock() && layout_.dock.contains(t.box.x, t.box.y)) all.push_back(t);
    return all;
  }
  bool shows(const std::string& words) const {
    for (const DrawnText& t : texts())
      if (t.text.find(words) != std::string::npos) return true;
    return false;
  }
  std::string first_plot() const {
    const Panel panel = panels_.arguments(*session_, gui_.style(), layout_, display_);
    for (const PlotData& plot : current_plots(panel).plots)
      if (plot.shown) return plot.id;
    return "";
  }
  const PlotDockState::Zoom* zoom_of(const std::string& id) const {
    const auto found = panels_.states().plots.zoom.find(id);
    return found == panels_.states().plots.zoom.end() ? nullptr : &found->second;
  }

  int width_ = 1280, height_ = 720;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Gui gui_{Gui::Renderer::none};
  mutable Panels panels_;
  DisplayInfo display_{"host-mapped", ""};
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

TEST_F(PlotDockTest, OpensByKeyAndTab) {
  open("wave/droplet");
  EXPECT_FALSE(layout_.has_dock());
  const double view = layout_.view_rect.height;
  key("F8");
  ASSERT_TRUE(layout_.has_dock());
  EXPECT_LT(layout_.view_rect.height, view);
  EXPECT_FALSE(texts().empty());
  key("F8");
  EXPECT_FALSE(layout_.has_dock());
  session_->post(ShowTab{Tab::plots});
  draw();
  EXPECT_TRUE(layout_.has_dock());
  session_->post(ShowTab{Tab::physics});
  draw();
  EXPECT_TRUE(layout_.has_dock()) << "it stays when another tab is opened";
  // Without panels there is none; the key brings both back.
  key("Tab");
  EXPECT_FALSE(layout_.has_dock());
  key("F8");
  EXPECT_TRUE(layout_.has_dock());
  EXPECT_TRUE(session_->interface().panels);
}

// The plot to begin with: the first curve, or the first reading of a scene without curves.
TEST_F(PlotDockTest, BeginsWithWhatTheSceneIsAbout) {
  open("wave/double-slit");
  key("F8");
  EXPECT_EQ(first_plot(), "curve/screen");
  open("membrane/load");
  EXPECT_EQ(first_plot(), "time/response") << "which has the line of the largest displacement";
  open("fibers/pair");
  EXPECT_EQ(first_plot(), "time/fall");
}

// A name that begins with a small letter is that of a formula.
TEST_F(PlotDockTest, NamesOfPlotsDifferAndBeginWithACapital) {
  std::vector<SceneEntry> scenes = {{"wave", "", "lens", ""}};
  for (const SceneEntry& scene : tested_scenes()) scenes.push_back(scene);
  for (const SceneEntry& scene : scenes) {
    const std::string path = scene.path();
    open(small_scene(scene.simulation, scene.preset, 64));
    std::set<std::string> names;
    for (const PlotData& plot : current_plots(panels_.arguments(*session_, gui_.style(), layout_, display_)).plots) {
      const std::string name = plot.frame.title.english();
      EXPECT_TRUE(names.insert(name).second) << path << ": " << name;
      const std::string first = name.substr(0, name.find(' '));
      const bool is_word = std::all_of(first.begin(), first.end(), [](char c) { return c >= 'a' && c <= 'z'; });
      EXPECT_FALSE(is_word && first.size() > 1) << path << ": " << name;
    }
  }
}

TEST_F(PlotDockTest, ProbeOpensWithFivePeriodsOrItsLastSamples) {
  std::vector<CurvePoint> wave;
  for (int k = 0; k < 4000; ++k) wave.push_back({k * 0.5, std::sin(2 * std::numbers::pi * k * 0.5 / 12)});
  PlotData plot{"curve/probe_1", {}, {{"measured", &wave}}};
  plot.is_trace = plot.is_probe = true;
  const PlotDockState::Newest first = PlotDockState().newest;
  EXPECT_NEAR(newest_length(first, plot, {}), 60, 0.1);
  EXPECT_EQ(newest_length({}, plot, {}), 0) << "all that is kept";
  EXPECT_NEAR(newest_length({.periods = 3}, plot, {}), 36, 0.1);
  for (CurvePoint& p : wave) p.y = 2;
  EXPECT_EQ(newest_length(first, plot, 8.0), 40) << "as the plot next to it";
  EXPECT_EQ(newest_length(first, plot, {}), 249.5) << "from the first to the last of 500 samples";
  plot.is_probe = false;
  EXPECT_EQ(newest_length(first, plot, {}), 0) << "measurements over time show the whole run";
}

TEST_F(PlotDockTest, PlotIsLargeInSmallWindow) {
  open("wave/double-slit");
  key("m");
  const std::vector<DrawnText> all = texts();
  ASSERT_FALSE(all.empty());
  // The frame is between the numbers of the axes: the widest distance of two numbers at the x axis, and at the y axis.
  double left = 1e9, right = 0, top = 1e9, bottom = 0;
  for (const DrawnText& t : all) {
    if (t.font != gui_.style().small || t.text.find_first_not_of("-.0123456789") != std::string::npos) continue;
    left = std::min(left, t.box.x);
    right = std::max(right, t.box.x);
    top = std::min(top, t.box.y);
    bottom = std::max(bottom, t.box.y);
  }
  EXPECT_GE(right - left, 480);
  EXPECT_GE(bottom - top, 200);
  for (const DrawnText& t : all) EXPECT_FALSE(t.cut_beside || t.cut_above) << t.text;
}

TEST_F(PlotDockTest, EdgeResizesAndSettingsKeepHeight) {
  open("wave/droplet");
  key("F8");
  const double before = layout_.dock.height, x = 300, y = layout_.dock.y + 2;
  pointer(x, y);
  pointer(x, y, true);
  pointer(x, y - 20, true);
  pointer(x, y - 80, true);
  pointer(x, y - 80);
  draw();
  EXPECT_EQ(layout_.dock.height, before + 80);
  EXPECT_EQ(session_->interface().plots.height, before + 80);
  // The file keeps it.
  Settings settings;
  settings.plot_dock = true;
  settings.plot_dock_height = before + 80;
  SettingsFile(path("settings.json")).keep(settings);
  const SettingsFile read(path("settings.json"));
  EXPECT_TRUE(read.settings().plot_dock);
  EXPECT_EQ(read.settings().plot_dock_height, before + 80);
  session_->execute(ResizePlotDock{1e9});
  draw();
  EXPECT_GE(layout_.view_rect.height, 120);
  session_->execute(ResizePlotDock{std::nan("")});
  EXPECT_EQ(session_->interface().plots.height, PlotDock::max_height);
}

TEST_F(PlotDockTest, WheelZoomsDragPansDoubleClickShowsEverything) {
  open("wave/droplet");
  key("F8");
  const std::string id = first_plot();
  ASSERT_FALSE(id.empty());
  const double x = layout_.dock.x + 0.5 * layout_.dock.width, y = layout_.dock.y + 0.5 * layout_.dock.height;
  pointer(x, y);
  pointer(x, y);
  pointer(x, y, false, 3);
  ASSERT_TRUE(zoom_of(id));
  ASSERT_TRUE(zoom_of(id)->x && zoom_of(id)->y);
  const PlotRange in = *zoom_of(id)->x;
  for (int k = 0; k < 2; ++k) pointer(x, y, false, -1);
  EXPECT_GT(zoom_of(id)->x->width(), in.width());
  const PlotRange before = *zoom_of(id)->x;
  pointer(x, y, true);
  pointer(x + 50, y, true);
  pointer(x + 100, y, true);
  pointer(x + 100, y);
  EXPECT_LT(zoom_of(id)->x->low, before.low) << "the content follows the pointer to the right";
  EXPECT_NEAR(zoom_of(id)->x->width(), before.width(), 1e-9 * before.width());
  // Over the numbers of the x axis only that axis zooms.
  const PlotRange height = *zoom_of(id)->y;
  pointer(x, layout_.dock.y + layout_.dock.height - 20);
  pointer(x, layout_.dock.y + layout_.dock.height - 20, false, 2);
  EXPECT_EQ(*zoom_of(id)->y, height);
  for (int k = 0; k < 40; ++k) pointer(x, y);
  for (const bool down : {true, false, true, false, false}) pointer(x, y, down);
  EXPECT_FALSE(zoom_of(id)) << "a double click shows everything";
  // None of this reached the water.
  EXPECT_EQ(experiment_->log().size(), 0U);
}

TEST_F(PlotDockTest, CursorNamesValues) {
  open("wave/droplet");
  key("F8");
  const double x = layout_.dock.x + 0.5 * layout_.dock.width, y = layout_.dock.y + 0.6 * layout_.dock.height;
  session_->post(ShowPlot{"time/energy"});
  session_->post(ShowPlot{first_plot(), first_plot() == "time/energy"});
  pointer(x, y);
  pointer(x, y);
  EXPECT_TRUE(shows("time = ")) << "the time at the cursor";
  pointer(x, layout_.view_rect.y + 10);
  pointer(x, layout_.view_rect.y + 10);
  EXPECT_FALSE(shows("time = "));
}

TEST_F(PlotDockTest, SwitchesChoosePlots) {
  open("wave/droplet");
  const std::string first = first_plot();
  session_->post(ShowPlot{first, false});
  key("F8");
  EXPECT_EQ(first_plot(), "");
  EXPECT_TRUE(shows("Switch on a plot"));
  key("F8");
  session_->post(ShowPlot{"time/energy"});
  draw();
  EXPECT_TRUE(layout_.has_dock()) << "a plot that is switched on opens the dock";
  EXPECT_EQ(first_plot(), "time/energy");
  // An instrument's plot takes the place of the first plot; the user's choice stays.
  session_->instrument_controller().add(parse_instrument("cut 0.5 0.1 0.5 0.9"));
  draw();
  EXPECT_EQ(first_plot(), "curve/cut_1");
  EXPECT_TRUE(session_->interface().plots.choices.at("time/energy"));
}

// A history keeps the newest readings: the longest part is not called the whole run.
TEST_F(PlotDockTest, NamesTheLongestPartAsWhatIsKept) {
  open("wave/droplet");
  key("F8");
  for (const PlotData& plot : current_plots(panels_.arguments(*session_, gui_.style(), layout_, display_)).plots)
    session_->execute(ShowPlot{plot.id, plot.is_trace});
  draw();
  ASSERT_TRUE(shows("Automatic"));
  click_on(find_drawn_text("Automatic", "dock"), [this] { draw(1); });
  const DrawnText choice = find_drawn_text("All that is kept");
  ASSERT_FALSE(choice.text.empty()) << "in the list";
  EXPECT_EQ(find_drawn_text("Whole run").text, "");
  click_on(choice, [this] { draw(1); });
  draw();
  EXPECT_TRUE(shows("All that is kept"));
  EXPECT_FALSE(shows("Automatic"));
  EXPECT_FALSE(panels_.states().plots.newest.automatic);
}

TEST_F(PlotDockTest, NextSceneHasItsPlotAfterAnEmptyDock) {
  open("wave/droplet");
  key("F8");
  session_->execute(ShowPlot{first_plot(), false});
  session_->execute(CommandId::restart);
  draw();
  EXPECT_EQ(first_plot(), "") << "it is the same scene";
  session_->execute(OpenScene{"wave/rain"});
  draw();
  EXPECT_NE(first_plot(), "");
  EXPECT_FALSE(shows("Switch on a plot"));
}

// In one column, the title, the name of the axis and the legend share a row of the dock of a window 1280 wide.
TEST_F(PlotDockTest, NamesOfThreePlotsAreWholeWhereTheyFit) {
  SKIP_UNDER_SANITIZERS("all simulations; draws nothing new");
  height_ = 1600;  // all three without scrolling
  int checked = 0;
  for (const char* scene : {"wave/double-slit", "lbm/cylinder", "membrane/drum"}) {
    open(scene);
    session_->execute(CommandId::toggle_plots);
    session_->execute(ResizePlotDock{1300});
    draw();
    const PlotList list = current_plots(panels_.arguments(*session_, gui_.style(), layout_, display_));
    ASSERT_GE(list.plots.size(), 3u) << scene;
    std::vector<const PlotData*> longest;
    for (const PlotData& plot : list.plots) longest.push_back(&plot);
    std::stable_sort(longest.begin(), longest.end(), [](const PlotData* a, const PlotData* b) {
      return a->frame.title.english().size() > b->frame.title.english().size();
    });
    longest.resize(3);
    for (const PlotData& plot : list.plots)
      session_->execute(ShowPlot{plot.id, std::find(longest.begin(), longest.end(), &plot) != longest.end()});
    draw();
    const std::vector<DrawnText> all = texts();
    for (const PlotData* plot : longest) {
      const std::string title = plot->frame.title.english();
      const auto begins = [&](const DrawnText& one) { return one.text.substr(0, 12) == title.substr(0, 12); };
      const auto found = std::find_if(all.begin(), all.end(), begins);
      ASSERT_NE(found, all.end()) << scene << ": " << title;
      // The right end of what follows in the row.
      double end = 0;
      for (const DrawnText& one : all)
        if (std::abs(one.box.y - found->box.y) < 10) end = std::max(end, one.box.x + one.box.width);
      const double left = layout_.dock.x + layout_.dock.width - end;
      const bool is_shortened = found->text.find("\u2026") != std::string::npos;
      EXPECT_FALSE(is_shortened && left > 100) << scene << ": " << found->text << ", " << left << " are free";
      ++checked;
    }
  }
  EXPECT_EQ(checked, 9);
}

TEST_F(PlotDockTest, NumbersHaveTheirSuperscripts) {
  gui_.begin_frame(layout_, 1.0 / 60);
  for (const ImWchar sign : {ImWchar{0x2070}, ImWchar{0xb9}, ImWchar{0xb2}, ImWchar{0xb3}, ImWchar{0x2074},
                             ImWchar{0x2079}, ImWchar{0x207b}, ImWchar{0xd7}})
    EXPECT_NE(gui_.style().small->FindGlyphNoFallback(sign), nullptr) << "U+" << std::hex << sign;
  gui_.end_frame();
}

TEST_F(PlotDockTest, DifferentUnitsHaveSeparateAxes) {
  SKIP_UNDER_SANITIZERS("all simulations; draws nothing new");
  for (const char* scene : {"wave/droplet", "lbm/cylinder", "particles/gas"}) {
    open(scene);
    const Panel panel = panels_.arguments(*session_, gui_.style(), layout_, display_);
    const auto& series = session_->diagnostics_poller().history().series();
    const PlotList list = current_plots(panel);
    for (const PlotData& plot : list.plots) {
      if (!plot.over_time) continue;
      for (const PlotLine& line : plot.lines)
        for (const History::Series& one : series) {
          if (&one.points != line.points) continue;
          EXPECT_EQ(one.unit, plot.y_unit) << scene << " " << plot.id;
          EXPECT_TRUE(!one.unit.empty() || plot.lines.size() == 1) << scene << " " << plot.id;
        }
    }
  }
}

}  // namespace
}  // namespace perturb
