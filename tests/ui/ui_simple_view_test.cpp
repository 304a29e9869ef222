// The simple and the full view of the panel, and its units, laid out by ImGui without a screen.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/drawn_panels.h"
#include "tests/support/keyboard_navigation.h"
#include "tests/support/panel_frames.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class UiSimpleView : public testing::Test, protected DrawnPanels {
 protected:
  UiSimpleView() : DrawnPanels(make_layout(1280, 1400, 1, 1, true)) {
    open(tank());
    Preferences preferences;
    preferences.simple = preferences.scene_units = true;
    session_->execute(ChangeInterface{&InterfaceState::preferences, preferences});
  }
  static Scene tank() {
    Scene scene = scene_of_width("wave/droplet", 48);
    scene.past_limit = "courant";  // so that the limit may be exceeded
    return scene;
  }
  // The text that starts like this in the column; empty: there is none.
  DrawnText found(const std::string& start) const {
    for (const DrawnText& text : drawn_text())
      if (text.text.starts_with(start) && text.box.x >= layout_.column.x) return text;
    return {};
  }
  bool shows(const std::string& start) const { return !found(start).text.empty(); }
  void draw_twice() {
    frame();
    frame();
  }
  void click(const std::string& start) {
    const DrawnText drawn = found(start);
    ASSERT_FALSE(drawn.text.empty()) << start;
    click_on(drawn, [this] { frame(); });
  }
  bool is_simple() const { return session_->interface().preferences.simple; }
};

TEST_F(UiSimpleView, ShowsTheControlsAndReadingsOfTheScene) {
  draw_twice();
  for (const char* text :
       {"Controls", "Wave speed", "Damping", "Droplet radius", "Highest |u|", "RMS", "Numerics: fine"})
    EXPECT_TRUE(shows(text)) << text;
  for (const char* text : {"Stability", "Sponge width", "Stencil", "Kernels"}) EXPECT_FALSE(shows(text)) << text;
  // Large figures: at least one and a half times as high as the text.
  EXPECT_GE(gui_.style().figures->FontSize, 1.5f * gui_.style().body->FontSize);
}

TEST_F(UiSimpleView, SwitchesToTheFullViewAndBack) {
  draw_twice();
  click("Full");
  EXPECT_FALSE(is_simple());
  for (const char* text : {"Stability", "Sponge width", "Kernels"}) EXPECT_TRUE(shows(text)) << text;
  EXPECT_FALSE(shows("Numerics: fine"));
  click("Simple");
  EXPECT_TRUE(is_simple());
  EXPECT_TRUE(shows("Numerics: fine"));
}

TEST_F(UiSimpleView, IndicatorNamesTheLimitAndOpensTheGauges) {
  session_->execute(ParameterChange{"time_step", 0.69});
  draw_twice();
  ASSERT_TRUE(shows("Numerics: near a limit"));
  session_->execute(ParameterChange{"time_step", 0.9});
  draw_twice();
  ASSERT_TRUE(shows("Numerics: past a limit"));
  click("Numerics: past a limit");
  EXPECT_FALSE(is_simple());
  EXPECT_EQ(session_->interface().tab, Tab::physics);
  EXPECT_TRUE(shows("Stability"));
}

TEST_F(UiSimpleView, HidesTheTabOfTheKernels) {
  session_->execute(ShowTab{Tab::kernels});
  draw_twice();
  EXPECT_TRUE(shows("Controls"));
  set_preference(*session_, &Preferences::simple, false);
  draw_twice();
  EXPECT_TRUE(shows("All kernels compute the same field"));
}

TEST_F(UiSimpleView, ShowsAndTakesValuesInTheUnitsOfTheScene) {
  draw_twice();
  EXPECT_TRUE(shows("25"));  // 1 length/time at 0.1 cm and 0.004 s
  EXPECT_TRUE(shows("cm/s"));
  // A double click on the row, then typing: 1/s is 0.004 per time unit.
  const Rect box = found("Damping").box;
  const double x = box.x + 40, y = box.y + box.height / 2;
  for (const bool down : {false, true, false, true, false}) {
    move_pointer(x, y, down);
    frame();
  }
  frame();
  ASSERT_EQ(panels_.rows().typing(), "damping");
  ImGui::GetIO().AddInputCharactersUTF8("1");
  draw_twice();
  for (const bool down : {true, false}) {
    set_imgui_key(ImGuiKey_Enter, down);
    frame();
  }
  draw_twice();
  EXPECT_NEAR(session_->run().value_of("damping"), 0.004, 1e-12);
  // In the simulation's units again.
  set_preference(*session_, &Preferences::scene_units, false);
  draw_twice();
  EXPECT_FALSE(shows("cm/s"));
  EXPECT_TRUE(shows("length/time"));
}

// The message names values in the units of the row.
TEST_F(UiSimpleView, RejectsAValueInTheUnitOfItsRow) {
  session_->post(ParameterChange{"wave_speed", -1});
  draw_twice();
  std::string column;
  for (const DrawnText& text : drawn_text())
    if (text.box.x >= layout_.column.x) column += text.text + " ";
  EXPECT_NE(column.find("cannot be -25 cm/s"), std::string::npos) << column;
  EXPECT_NE(column.find("0 to 250 cm/s"), std::string::npos) << column;
}

TEST_F(UiSimpleView, ResetsAValueToExactlyItsDefault) {
  const double was = session_->run().value_of("damping");
  session_->execute(ParameterChange{"damping", 0.0123});
  draw_twice();
  const Rect box = found("Damping").box;
  // The reset button is in the gutter at the right of the row.
  const double x = layout_.column.x + layout_.column.width - gui_.style().px(8) - gui_.style().gutter() / 2;
  for (const bool down : {false, true, false}) {
    move_pointer(x, box.y + box.height / 2, down);
    frame();
  }
  draw_twice();
  EXPECT_EQ(session_->run().value_of("damping"), was);
}

// A step that unlocks a parameter shows it, also if the scene does not name it among its controls.
TEST_F(UiSimpleView, LessonsHaveTheirParametersAndTheUnitsOfTheScene) {
  session_->execute(OpenLesson{"lbm/vortex-street"});
  for (int i = 0; i < 4; ++i) frame();
  ASSERT_TRUE(session_->lesson());
  set_preference(*session_, &Preferences::scene_units, false);
  EXPECT_EQ(display_unit(session_->display_units(), "cell").text, "mm") << "as its texts";
}

TEST_F(UiSimpleView, DrawsEveryScene) {
  SKIP_UNDER_SANITIZERS("layout; another test draws every scene");
  for (const char* path : {"lbm/cylinder", "particles/gas", "membrane/drum", "wave/double-slit"}) {
    SCOPED_TRACE(path);
    Scene scene = scene_of_width(path, 48);
    Experiment experiment(*backend_, scene);
    Session session(experiment, 2);
    session.execute(ChangeInterface{&InterfaceState::preferences, session_->interface().preferences});
    Panels panels;
    for (const auto& [width, height] : {std::pair{1280, 720}, {2560, 1440}, {800, 500}, {1, 1}}) {
      const Layout layout = make_layout(width, height, 1, 1, true);
      for (int i = 0; i < 2; ++i) {
        session.handle({}, layout, Session::Keyboard::free, panels.feedback());
        session.observe(true);
        draw_panels(session, gui_, panels, layout);
      }
      if (layout.has_column && height >= 720) {
        const std::vector<DrawnText> texts = drawn_text();
        EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const DrawnText& t) { return t.text == "Controls"; }));
      }
    }
  }
}

}  // namespace
}  // namespace perturb
