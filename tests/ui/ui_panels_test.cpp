// Every panel, laid out by ImGui without a screen.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/scenes.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/equation.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

Scene panel_scene(const std::string& path) { return scene_of_width(path, 48); }

class UiPanels : public testing::Test {
 protected:
  void draw(Session& session, const Layout& layout, bool observe = true) {
    session.handle({}, layout, Session::Keyboard::free, panels_.feedback());
    session.pace().forget();  // however slow the machine is, a frame takes the requested steps
    session.advance();
    if (observe) session.observe(true);
    gui_.begin_frame(layout, 1.0 / 60);
    panels_.draw(session, gui_.style(), layout,
                 {"host-mapped", "A note that is rather long, as notes about graphics drivers are."});
    gui_.end_frame();
    session.end_frame(1.0 / 60, 0.004);
  }
  // Number of vertices drawn.
  static int vertices() { return ImGui::GetDrawData()->TotalVtxCount; }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
};

// Streamlines, arrows and tracers: of the flow, in the simple and in the full view.
TEST_F(UiPanels, ShowsDisplayParametersInTheTabView) {
  Experiment experiment(*backend_, panel_scene("lbm/cylinder"));
  Session session(experiment, 2);
  const Layout layout = make_layout(1280, 4000, 1, 1, true);
  const auto shows = [](const char* text) {
    const std::vector<DrawnText> texts = drawn_text();
    return std::any_of(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == text; });
  };
  for (const bool simple : {true, false}) {
    set_preference(session, &Preferences::simple, simple);
    for (const Tab tab : {Tab::view, Tab::physics}) {
      session.execute(ShowTab{tab});
      for (int i = 0; i < 3; ++i) draw(session, layout);
      EXPECT_EQ(shows("Arrows"), tab == Tab::view) << simple;
      EXPECT_EQ(shows("Microscope"), tab == Tab::view) << "all of the tab is laid out";
    }
  }
}

TEST_F(UiPanels, DrawsEveryTabAtEverySize) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  for (const SimulationInfo* info : catalog()) {
    Experiment experiment(*backend_, panel_scene(info->id));
    Session session(experiment, 2);
    panels_ = Panels();
    for (const double scale : {1.0, 2.0})
      for (const auto& [width, height] :
           {std::pair{1280, 720}, {2560, 1440}, {800, 500}, {500, 300}, {120, 80}, {1, 1}}) {
        // The usual window, one with a drawer, and one of a single pixel.
        if (has_small_reach() && !(scale == 1 && (width == 1280 || width == 500 || width == 1))) continue;
        const Layout layout = make_layout(width, height, 1, scale, true);
        for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels}) {
          session.execute(ShowTab{tab});
          draw(session, layout);
          draw(session, layout);
          if (layout.has_column) {
            EXPECT_GT(vertices(), 500);
          }
        }
      }
  }
}

TEST_F(UiPanels, DrawsEveryScene) {
  for (const SceneEntry& scene : tested_scenes()) {
    SCOPED_TRACE(scene.path());
    Experiment experiment(*backend_, panel_scene(scene.path()));
    Session session(experiment, 2);
    panels_ = Panels();
    for (int i = 0; i < 2; ++i) draw(session, make_layout(1280, 720, 1, 1, true));
    EXPECT_FALSE(scene.title.empty());
  }
}

TEST_F(UiPanels, DialogsBlockClicksOnView) {
  Experiment experiment(*backend_, panel_scene("wave/droplet"));
  Session session(experiment, 2);
  const Layout layout = make_layout(1280, 720, 1, 1, true);
  const auto click_reaches_water = [&] {
    const std::size_t before = experiment.log().size();
    InputEvent press = mouse_event(InputEvent::Kind::press, 300, 300, InputEvent::Button::left);
    InputEvent release = press;
    release.kind = InputEvent::Kind::release;
    session.handle({press, release}, layout, Session::Keyboard::free, panels_.feedback());
    return experiment.log().size() > before;
  };
  draw(session, layout);
  EXPECT_TRUE(click_reaches_water());
  for (const CommandId dialog : {CommandId::help, CommandId::open_file}) {
    session.execute(dialog);
    ASSERT_NE(session.interface().overlay, Overlay::none);
    for (int i = 0; i < 3; ++i) draw(session, layout);
    EXPECT_FALSE(click_reaches_water());
    session.execute(CommandId::close_overlay);
    ASSERT_EQ(session.interface().overlay, Overlay::none);
    draw(session, layout);
    EXPECT_TRUE(click_reaches_water());
  }
  Diagnostics broken;
  broken.finite = false;
  broken.error = "A cell is no longer a number: lower the time step.";
  experiment.check_diagnostics(broken);
  draw(session, layout);
  EXPECT_FALSE(click_reaches_water());
}

TEST_F(UiPanels, HiddenPanelsLeaveOnlyView) {
  Experiment experiment(*backend_, panel_scene("wave/droplet"));
  Session session(experiment, 2);
  ASSERT_TRUE(session.interface().hint && session.interface().color_bar);
  session.post(CommandId::toggle_panels);
  for (int i = 0; i < 2; ++i) draw(session, make_layout(1280, 720, 1, 1, false));
  EXPECT_EQ(vertices(), 0) << "the hint and the colour bar too";
  session.post(CommandId::toggle_color_bar);
  for (int i = 0; i < 2; ++i) draw(session, make_layout(1280, 720, 1, 1, false));
  EXPECT_GT(vertices(), 0) << "the colour bar alone, where that is asked for";
  EXPECT_TRUE(session.interface().color_bar);
}

TEST_F(UiPanels, PlayButtonReactsWhereDrawn) {
  Experiment experiment(*backend_, panel_scene("wave/droplet"));
  Session session(experiment, 2);
  for (const double scale : {1.0, 1.5, 2.0}) {
    const Layout layout = make_layout(2000, 1200, 1, scale, true);
    session.playback().set_playing(true);
    const double x = layout.transport.x + 69 * scale, y = layout.transport.y + layout.transport.height / 2;
    for (const bool down : {false, false, true, false, false}) {
      move_pointer(x, y, down);
      draw(session, layout);
    }
    EXPECT_FALSE(session.playback().playing()) << "at scale " << scale;
  }
}

// Scrolls, presses everywhere, drags and releases: nothing breaks, and changed values stay within their ranges.
TEST_F(UiPanels, SurvivesRandomInput) {
  Experiment experiment(*backend_, panel_scene("wave/droplet"));
  Session session(experiment, 1);
  const Layout layout = make_layout(1280, 720, 1, 1, true);
  std::mt19937 random(11);
  std::uniform_real_distribution<> across(layout.column.x, layout.width), down(0, layout.height), jitter(-60, 60);
  std::uniform_int_distribution<> notches(-3, 3);
  std::set<std::string> changed;
  // Undo leads back from another scene only to a run that has been changed.
  session.execute(ParameterChange{"damping", 0.01});
  ASSERT_NE(session.run().next_undo, "");
  std::vector<double> values = session.run().parameters;
  int scenes = session.scenes();
  for (int i = 0; i < 200; ++i) {
    session.execute(ShowTab{static_cast<Tab>(i % 4)});
    const double x = i % 9 == 0 ? 300 + jitter(random) : across(random), y = down(random);
    const double drag = jitter(random);
    // The tab shows two sliders at a time.
    move_pointer(x, y, false);
    ImGui::GetIO().MouseWheel = static_cast<float>(notches(random));
    draw(session, layout, false);
    for (int phase = 0; phase < 4; ++phase) {
      move_pointer(x + (phase > 1 ? drag : 0), y, phase == 1 || phase == 2);
      draw(session, layout, i % 10 == 0);
      // Other scenes are opened at full size and have tests of their own: the random input stays in this scene.
      if (session.scenes() != scenes) {
        session.execute(CommandId::close_lesson);
        session.execute(CommandId::undo);
        ASSERT_EQ(experiment.setup().preset, "droplet");
        ASSERT_EQ(experiment.setup().width, 48);
        scenes = session.scenes();
        values = session.run().parameters;
      }
      ASSERT_EQ(session.run().parameters.size(), values.size());
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Parameter& p = session.info().parameters[k];
        const double value = session.run().parameters[k];
        if (value != values[k]) changed.insert(p.id);
        EXPECT_NO_THROW(p.check(value)) << p.id;
        EXPECT_EQ(session.parameters().error_of(p.id), "") << p.id << " was rejected";
      }
      values = session.run().parameters;
    }
    if (!experiment.stop_reason().empty()) experiment.restart(true);
    session.playback().set_playing(i % 10 == 0);
    set_preference(session, &Preferences::text_scale, 1);
  }
  EXPECT_GE(changed.size(), 3u) << "the monkey found some sliders";
}

TEST_F(UiPanels, AcceptsOrRejectsTypedValue) {
  Experiment experiment(*backend_, panel_scene("wave/droplet"));
  Session session(experiment, 1);
  const Layout layout = make_layout(1280, 2000, 1, 1, true);
  session.execute(ShowTab{Tab::physics});
  for (int i = 0; i < 3; ++i) draw(session, layout);
  const std::string label = experiment.simulation().parameters().find("damping").label;
  const std::vector<DrawnText> texts = drawn_text();
  const auto row = std::find_if(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == label; });
  ASSERT_NE(row, texts.end()) << label;
  for (const bool down : {false, true, false, true, false}) {
    move_pointer(row->box.x + 5, row->box.y + row->box.height / 2, down);
    draw(session, layout);
  }
  EXPECT_EQ(panels_.rows().typing(), "damping");
  ImGui::GetIO().AddInputCharactersUTF8("0.5");
  for (int i = 0; i < 3; ++i) draw(session, layout);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  // A click elsewhere ends the editing and keeps the value.
  const double before = experiment.simulation().parameters().get("damping");
  for (const bool down : {true, false, false}) {
    move_pointer(300, 900, down);
    draw(session, layout);
  }
  EXPECT_EQ(panels_.rows().typing(), "");
  EXPECT_EQ(experiment.simulation().parameters().get("damping"), before);
}

TEST_F(UiPanels, DrawsEquationsOfAllKinds) {
  const Layout layout = make_layout(1280, 720, 1, 1, true);
  gui_.begin_frame(layout, 1.0 / 60);
  ImGui::SetNextWindowSize(ImVec2(300, 600));
  ImGui::Begin("equations");
  for (const char* text :
       {"", "u_tt + k u_t = c² (u_xx + u_yy)", "a^2_{xy} + b_{", "_", "^", "x_", "∂u/∂t = ν ∇²u", "f_i^{eq}",
        "a very long left side that goes on and on = and a right side that must go to the next line"})
    draw_equation(gui_.style(), text);
  ImGui::End();
  gui_.end_frame();
  EXPECT_GT(vertices(), 0);
}

TEST_F(UiPanels, CutsOverlongTextBetweenCharacters) {
  const Layout layout = make_layout(1280, 720, 1, 1, true);
  gui_.begin_frame(layout, 1.0 / 60);
  const std::string text = "Größe der Wellen über dem Grund";
  for (float width = 0; width < 300; width += 7) {
    const std::string cut = elided(text, width);
    EXPECT_LE(ImGui::CalcTextSize(cut.c_str()).x, width + 0.01f);
    // No half of a two-byte character remains.
    for (std::size_t i = 0; i < cut.size(); ++i) {
      if ((static_cast<unsigned char>(cut[i]) & 0xE0) != 0xC0) continue;
      ASSERT_LT(i + 1, cut.size());
      EXPECT_EQ(static_cast<unsigned char>(cut[i + 1]) & 0xC0, 0x80);
    }
  }
  gui_.end_frame();
}

TEST_F(UiPanels, DigitsHaveEqualWidth) {
  for (const double scale : {1.0, 1.3, 2.0}) {
    gui_.begin_frame(make_layout(1280, 720, 1, scale, true), 1.0 / 60);
    const Style& style = gui_.style();
    for (ImFont* font : style.fonts()) {
      ImGui::PushFont(font);
      const float width = ImGui::CalcTextSize("00000").x;
      for (const char* figures : {"11111", "12345", "67890"}) EXPECT_EQ(ImGui::CalcTextSize(figures).x, width);
      ImGui::PopFont();
    }
    gui_.end_frame();
  }
}

}  // namespace
}  // namespace perturb
