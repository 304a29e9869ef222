// The text of the window, for every scene at common window sizes: nothing is clipped, no axis repeats a label, and
// nothing moves or changes without input.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/scenes.h"
#include "app/ui/panels/panels.h"
#include "app/ui/plots/plot_list.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/screen_size.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

// A small laptop, a projector with large text, a projector after ten times Ctrl and plus, a large screen, a laptop with
// large text, a screen with four times as many pixels.
const ScreenSize text_sizes[] = {{1280, 720, 1},  {1024, 768, 2},   {1920, 1080, 1.5 * std::pow(1.1, 10)},
                                 {2560, 1440, 1}, {1280, 720, 1.8}, {3840, 2160, 2}};

// At small reach the first.
std::vector<ScreenSize> tested_sizes() {
  const std::vector<ScreenSize> all(std::begin(text_sizes), std::end(text_sizes));
  return reach(all, {all.front()});
}

class UiText : public testing::Test {
 protected:
  struct Scene {
    std::string path;
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<Session> session;
    Panels panels{};
  };

  // Every scene (at small reach the first of each simulation), small, after some steps, so that there is something to
  // plot.
  std::vector<Scene> all() {
    std::vector<Scene> scenes;
    for (const SceneEntry& one : tested_scenes()) scenes.push_back(open(one.path(), 6));
    return scenes;
  }
  Scene open(const std::string& path, int steps) {
    const perturb::Scene small = scene_of_width(path, 48, 24);
    Scene scene{path, nullptr, nullptr};
    scene.experiment = std::make_unique<Experiment>(*backend_, small);
    scene.session = std::make_unique<Session>(*scene.experiment, 1);
    for (int i = 0; i < steps; ++i) {
      scene.session->pace().forget();
      scene.session->advance();
      scene.session->observe(true);
    }
    scene.session->playback().set_playing(false);
    return scene;
  }

  void draw(Scene& scene, const Layout& layout, int frames = 2, double seconds = 1.0 / 60) {
    for (int i = 0; i < frames; ++i) {
      scene.session->handle({}, layout, Session::Keyboard::free, scene.panels.feedback());
      gui_.begin_frame(layout, seconds);
      scene.panels.draw(*scene.session, gui_.style(), layout,
                        {"host-mapped", "A note about a graphics driver, of the usual length."});
      gui_.end_frame();
    }
  }
  // The window with the plot dock; a higher one, if large text leaves no space for the dock.
  static Layout with_dock(const ScreenSize& size) {
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true, PlotDock::default_height);
    if (layout.has_dock()) return layout;
    return make_layout(size.width, static_cast<int>(2000 * size.scale), 1, size.scale, true, PlotDock::default_height);
  }
  // The ids of all plots of a scene.
  std::vector<std::string> plots_of(Scene& scene, const Layout& layout) {
    const DisplayInfo display{"host-mapped", ""};
    const PlotList list = current_plots(scene.panels.arguments(*scene.session, gui_.style(), layout, display));
    std::vector<std::string> ids;
    for (const PlotData& plot : list.plots) ids.push_back(plot.id);
    return ids;
  }
  // Draws these plots in the dock, and no others.
  void draw_plots(Scene& scene, const Layout& layout, const std::vector<std::string>& shown) {
    for (const std::string& id : plots_of(scene, layout))
      scene.session->execute(ShowPlot{id, std::find(shown.begin(), shown.end(), id) != shown.end()});
    draw(scene, layout);
  }
  // The texts in the dock, where the panel with the names of all plots does not count.
  static std::vector<DrawnText> dock_text() {
    std::vector<DrawnText> texts = drawn_text();
    std::erase_if(texts, [](const DrawnText& t) { return t.window.find("##dock") == std::string::npos; });
    return texts;
  }
  static void show_hint(Scene& scene, bool shown) {
    InterfaceState state = scene.session->interface();
    state.hint = shown;
    scene.session->set_interface(state);
  }
  static void point_at(double x, double y, bool down = false) { move_pointer(x, y, down); }
  void click(Scene& scene, const Layout& layout, double x, double y) {
    for (const bool down : {false, false, true, false, false}) {
      point_at(x, y, down);
      draw(scene, layout, 1);
    }
  }
  static const DrawnText* find(const std::vector<DrawnText>& texts, const std::string& text) {
    const auto found = std::find_if(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == text; });
    return found == texts.end() ? nullptr : &*found;
  }
  // The lines that are clipped, for the report of a test. `short_titles`: the titles of plots in the dock may be
  // shortened; the tab of the plots has them in full.
  std::string cut_lines(bool short_titles = false) const {
    std::string cut;
    for (const DrawnText& t : drawn_text()) {
      // A line at the edge of a scrolling list is complete after scrolling to it.
      const bool is_cut = t.cut_beside || (t.cut_above && !is_scrolling(t.window));
      const bool is_shortened = t.text.find("\u2026") != std::string::npos;
      const bool may_be_short = short_titles && t.font == gui_.style().strong && t.window == "##dock";
      if (is_cut || (is_shortened && !may_be_short)) cut += "\n  \"" + t.text + "\" in " + t.window;
    }
    return cut;
  }
  static bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.- ") == std::string::npos;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(2);
  Gui gui_{Gui::Renderer::none};
};

constexpr Tab tabs[] = {Tab::physics, Tab::view, Tab::plots, Tab::kernels};

TEST_F(UiText, ClipsNoTextInAnySceneAtAnySize) {
  std::vector<Scene> scenes = all();
  for (const ScreenSize& size : tested_sizes()) {
    // With the height of the window, and with a height that needs no scrolling.
    for (const int height : {size.height, static_cast<int>(9000 * size.scale)}) {
      const Layout layout = make_layout(size.width, height, 1, size.scale, true);
      ASSERT_TRUE(layout.has_column);
      for (Scene& scene : scenes) {
        scene.session->execute(ChangeInterface{&InterfaceState::drawer_open, layout.is_drawer});
        for (const Tab tab : tabs) {
          scene.session->execute(ShowTab{tab});
          draw(scene, layout);
          EXPECT_EQ(cut_lines(), "") << scene.path << ", " << words(size) << ", tab " << static_cast<int>(tab);
        }
        scene.session->execute(ChangeInterface{&InterfaceState::drawer_open, false});
      }
    }
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true), docked = with_dock(size);
    ASSERT_TRUE(docked.has_dock());
    for (Scene& scene : scenes) {
      for (const std::string& id : plots_of(scene, docked)) {
        draw_plots(scene, docked, {id});
        EXPECT_EQ(cut_lines(true), "") << scene.path << ", " << words(size) << ", plot " << id;
      }
      draw(scene, layout);
      EXPECT_EQ(cut_lines(), "") << scene.path << ", " << words(size) << ", closed drawer";
      for (const int page : {0, 1}) {
        scene.session->execute(ShowHelpPage{page});
        draw(scene, layout, 3);
        EXPECT_EQ(cut_lines(), "") << scene.path << ", " << words(size) << ", help " << page;
        for (const DrawnText& t : drawn_text())
          if (t.window.find("help") != std::string::npos && !is_scrolling(t.window)) {
            EXPECT_LE(t.box.y + t.box.height, layout.status.y) << t.text << " overlaps the status bar";
          }
      }
      scene.session->execute(CommandId::close_overlay);
    }
  }
}

TEST_F(UiText, HasNoDuplicateAxisLabels) {
  std::vector<Scene> scenes = all();
  int numbers = 0, axes = 0;
  for (const ScreenSize& size : tested_sizes()) {
    const Layout docked = with_dock(size);
    const int high = static_cast<int>(9000 * size.scale);
    const Layout layout = make_layout(size.width, high, 1, size.scale, true);
    const Layout all_docked = make_layout(size.width, high, 1, size.scale, true, 8000);
    ASSERT_TRUE(docked.has_dock());
    for (Scene& scene : scenes) {
      // A plot begins with its title in bold; its tick labels are small, those along x are in one row.
      std::string plot;
      std::vector<DrawnText> ticks;
      const auto check = [&] {
        std::multiset<std::string> row, column;
        std::string places;
        for (const DrawnText& t : ticks) {
          places += "\n  " + t.text + " at " + std::to_string(t.box.x) + ", " + std::to_string(t.box.y + t.box.height);
          const auto beside = std::count_if(ticks.begin(), ticks.end(), [&](const DrawnText& other) {
            return std::abs(t.box.y + t.box.height - other.box.y - other.box.height) < 3;
          });
          (beside > 1 ? row : column).insert(t.text);
        }
        for (const auto& axis : {row, column}) {
          axes += !axis.empty();
          for (const std::string& label : axis)
            EXPECT_EQ(axis.count(label), 1u)
                << label << " stands twice in " << scene.path << ", " << plot << ", " << words(size) << places;
        }
        numbers += static_cast<int>(ticks.size());
        ticks.clear();
      };
      const auto check_dock = [&] {
        std::size_t titles = 0;
        for (const DrawnText& t : dock_text()) {
          if (t.font == gui_.style().strong) {
            check();
            ++titles;
          }
          if (t.font == gui_.style().small && t.color == color::dim && is_number(t.text)) ticks.push_back(t);
        }
        check();
        return titles;
      };
      // Each plot alone, and all of them.
      const std::vector<std::string> plots = plots_of(scene, docked);
      ASSERT_FALSE(plots.empty()) << scene.path;
      for (const std::string& id : plots) {
        plot = id;
        draw_plots(scene, docked, {id});
        EXPECT_GE(check_dock(), 1u) << scene.path << ", " << id;
      }
      plot = "all plots";
      draw_plots(scene, all_docked, plots);
      EXPECT_GE(check_dock(), plots.size()) << scene.path;
      // The colour bar over the view is one axis.
      draw(scene, layout);
      std::multiset<std::string> bar;
      for (const DrawnText& t : drawn_text())
        if (t.window.find("Background") != std::string::npos && t.font == gui_.style().small && is_number(t.text))
          bar.insert(t.text);
      EXPECT_GE(bar.size(), 2u) << scene.path;
      for (const std::string& label : bar)
        EXPECT_EQ(bar.count(label), 1u) << label << " stands twice at the colour bar of " << scene.path;
    }
  }
  EXPECT_GT(axes, reach(300, 5));
  EXPECT_GT(numbers, reach(1500, 20)) << "ticks were found";
}

TEST_F(UiText, NamesEveryAxisOfEveryCurve) {
  for (Scene& scene : all())
    for (const Curve& curve : scene.session->diagnostics_poller().latest().curves) {
      EXPECT_FALSE(curve.x_label.empty()) << scene.path << ", " << curve.label.english();
      EXPECT_FALSE(curve.y_label.empty()) << scene.path << ", " << curve.label.english();
      EXPECT_EQ(curve.y_label.english().find("log"), std::string::npos) << "the axis is logarithmic, not the quantity";
      const Layout layout = with_dock({1280, 720, 1});
      draw_plots(scene, layout, {"curve/" + curve.id});
      const std::vector<DrawnText> texts = dock_text();
      const auto stands = [&](const std::string& name) {
        return std::any_of(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text.find(name) == 0; });
      };
      EXPECT_TRUE(stands(curve.x_label.english())) << scene.path << ": " << curve.x_label.english();
      EXPECT_TRUE(stands(curve.y_label.english())) << scene.path << ": " << curve.y_label.english();
    }
}

TEST_F(UiText, HintAndColorBarNeverOverlap) {
  std::vector<Scene> scenes = all();
  // Sizes with the same scale are in sequence, because the font is rebuilt when the scale changes.
  const std::vector<ScreenSize> sizes = {{1280, 720, 1}, {2560, 1440, 1}, {900, 420, 1},  {700, 500, 1},  {340, 420, 1},
                                         {330, 390, 1},  {640, 360, 1.3}, {1024, 768, 2}, {1920, 1080, 4}};
  for (const ScreenSize& size : reach(sizes, {sizes.front()})) {
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
    for (Scene& scene : scenes) {
      show_hint(scene, true);
      draw(scene, layout);
      std::vector<Rect> hint, bar;
      for (const DrawnText& t : drawn_text()) {
        if (t.window.find("Background") == std::string::npos) continue;
        (t.font == gui_.style().small ? bar : hint).push_back(t.box);
      }
      for (const Rect& a : hint)
        for (const Rect& b : bar)
          EXPECT_FALSE(a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
              << scene.path << ", " << words(size);
    }
  }
}

TEST_F(UiText, KeepsTabPositionsForAnyTool) {
  for (const SimulationInfo* info : catalog())
    for (const ScreenSize& size : {text_sizes[0], text_sizes[3]}) {
      Scene scene = open(info->id, 1);
      const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
      std::set<double> places;
      for (const bool hint : {true, false})
        for (const Tool& tool : info->tools) {
          show_hint(scene, hint);
          scene.session->execute(ChooseTool{tool.id});
          draw(scene, layout);
          const std::vector<DrawnText> texts = drawn_text();
          const DrawnText* tab = find(texts, "Plots");
          ASSERT_TRUE(tab);
          places.insert(std::round(tab->box.y));
        }
      EXPECT_EQ(places.size(), 1u) << info->id << ", " << words(size);
    }
}

// Rows of the panel keep their positions whether or not a gauge shows a message.
TEST_F(UiText, KeepsSliderPositionsForAnyGauge) {
  Scene scene = open("wave/droplet", 1);
  const Layout layout = make_layout(1280, 900, 1, 1, true);
  const ParameterSet parameters = scene.experiment->simulation().parameters();
  const Parameter& p = parameters.find("time_step");
  std::set<double> places;
  for (const double value : {scene.experiment->simulation().parameters().get(p.id), p.maximum}) {
    // As a script: a user's value past the limit is rejected.
    scene.experiment->schedule({{scene.experiment->simulation().steps(), ParameterChange{p.id, value}}});
    scene.experiment->advance(0);
    draw(scene, layout);
    const std::vector<DrawnText> texts = drawn_text();
    const DrawnText* row = find(texts, "Damping");
    ASSERT_TRUE(row);
    places.insert(std::round(row->box.y));
    const bool advises = std::any_of(texts.begin(), texts.end(), [](const DrawnText& t) {
      return t.color == color::bad && t.text.find("Courant") != std::string::npos;
    });
    EXPECT_EQ(advises, value == p.maximum);
  }
  EXPECT_EQ(places.size(), 1u);
}

TEST_F(UiText, SingleClickChangesNoValue) {
  for (const SimulationInfo* info : catalog()) {
    Scene scene = open(info->id, 1);
    const Layout layout = make_layout(1280, 1600, 1, 1, true);
    const ToolController& tools = scene.session->tools();
    show_hint(scene, false);
    const auto numbers = [&] {
      std::string text;
      for (const Parameter& p : info->parameters)
        if (p.kind == ValueKind::real || p.kind == ValueKind::integer)
          text += p.id + "=" + p.format(scene.experiment->simulation().parameters().get(p.id)) + "\n";
      for (const Tool& tool : info->tools)
        for (const auto& [field, value] : tools.brush_of(tool.id))
          text += tool.id + "/" + field + "=" + std::to_string(value) + "\n";
      return text;
    };
    const std::string tool = tools.tool(), before = numbers();
    // Every row at least once at each of the two: rows are 29 pixels high.
    for (const double share : {0.25, 0.7})
      for (double y = layout.column.y + 60 + (share > 0.5 ? 10 : 0); y < layout.height - 40; y += reach(20, 84)) {
        scene.session->execute(ShowTab{Tab::physics});
        scene.session->execute(ChooseTool{tool});
        click(scene, layout, layout.column.x + share * layout.column.width, y);
        click(scene, layout, 5, 5);   // closes a list
        draw(scene, layout, 1, 1.0);  // late enough that the next click is not a double click
        ASSERT_EQ(numbers(), before) << info->id << " at " << y;
      }
  }
}

TEST_F(UiText, DragMovesSliderFromItsValue) {
  Scene scene = open("wave/droplet", 1);
  const Layout layout = make_layout(1280, 1600, 1, 1, true);
  draw(scene, layout);
  const std::vector<DrawnText> texts = drawn_text();
  const DrawnText* row = find(texts, "Wave speed");
  for (const DrawnText& t : texts)
    if (t.text == "Wave speed") row = &t;  // the last one: a tool has that name too
  ASSERT_TRUE(row);
  const double x = row->box.x + 200, y = row->box.y + 5;
  const double before = scene.experiment->simulation().parameters().get("wave_speed");
  const auto at = [&](double px, bool down) {
    point_at(px, y, down);
    draw(scene, layout, 1);
    return scene.experiment->simulation().parameters().get("wave_speed");
  };
  at(x, false);
  at(x, false);
  at(x, true);
  at(x, true);
  EXPECT_EQ(at(x, true), before) << "pressed";
  EXPECT_EQ(at(x + 2, true), before) << "a trembling pointer";
  at(x + 24, true);
  const double little = at(x + 24, true);
  EXPECT_GT(little, before);
  const ParameterSet parameters = scene.experiment->simulation().parameters();
  const Parameter& p = parameters.find("wave_speed");
  EXPECT_LT(little, before + 0.2 * (p.maximum - p.minimum)) << "it does not jump to the pointer";
  at(x + 24, false);
  EXPECT_EQ(at(x + 80, false), little);
}

TEST_F(UiText, TooltipCoversNoPanelItem) {
  for (const SimulationInfo* info : catalog())
    for (const int k : {0, 1, 3}) {
      if (has_small_reach() && k != 1) continue;
      const ScreenSize& size = text_sizes[k];
      Scene scene = open(info->id, 1);
      const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
      scene.session->execute(ChangeInterface{&InterfaceState::drawer_open, layout.is_drawer});
      draw(scene, layout);
      const std::vector<DrawnText> texts = drawn_text();
      int seen = 0;
      for (const Tool& tool : info->tools) {
        // (A scene may have the tool's name; its title is bold.)
        const auto button = std::find_if(texts.begin(), texts.end(), [&](const DrawnText& t) {
          return t.text == tool.label && t.font == gui_.style().body;
        });
        if (button == texts.end()) continue;  // needs scrolling
        point_at(button->box.x + 3, button->box.y + 3);
        draw(scene, layout, 60);
        for (const DrawnText& t : drawn_text()) {
          if (t.window.find("Tooltip") == std::string::npos) continue;
          ++seen;
          const bool beside = t.box.x + t.box.width < layout.column.x;
          const bool above = t.box.y + t.box.height < button->box.y;
          EXPECT_TRUE(beside || above) << t.text << " of " << info->id << ", " << words(size);
          EXPECT_FALSE(t.cut_beside || t.cut_above) << t.text;
        }
      }
      EXPECT_GT(seen, 0) << info->id << ", " << words(size);
    }
}

}  // namespace
}  // namespace perturb
