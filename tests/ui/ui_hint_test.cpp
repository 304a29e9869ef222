// The hint over the view: it can be dragged, it disappears by itself, with Esc and with its close button, and does not
// cover the colour bar. Also the page that explains the scene.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/race/lane.h"
#include "app/ui/kernels/kernel_text.h"
#include "app/ui/panels/lane_titles.h"
#include "app/ui/panels/panels.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_text.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

Scene tank_with_a_hint() {
  Scene scene = load_scene("wave/double-slit");
  scene.setup.width = 96;
  scene.setup.height = 64;
  return scene;
}

class UiHint : public testing::Test {
 protected:
  Panel panel() { return panels_.arguments(session_, gui_.style(), layout_, display_); }
  void frame(double seconds = 1.0 / 60) {
    session_.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
    session_.observe(true);
    gui_.begin_frame(layout_, seconds);
    panels_.draw(session_, gui_.style(), layout_, display_);
    box_ = hint_rect(panel());
    bar_ = floating_color_bar_rect(panel());
    gui_.end_frame();
  }
  // Draws the hint and the bar at other places.
  void frame_with(PanelStates& states) {
    ValueRows rows;
    PanelAreas areas;
    std::vector<Command> commands;
    const Panel panel{session_, gui_.style(), layout_, display_, states, rows, areas, commands, nullptr};
    gui_.begin_frame(layout_, 1.0 / 60);
    draw_floating_color_bar(panel, states.color_bar);
    draw_hint(panel, states.hint);
    box_ = hint_rect(panel);
    bar_ = floating_color_bar_rect(panel);
    gui_.end_frame();
  }
  void show_hint() {
    InterfaceState state = session_.interface();
    state.hint = true;
    session_.set_interface(state);
  }
  void pass(double seconds) {
    for (double t = 0; t < seconds; t += 0.1) frame(0.1);
  }
  void pointer(double x, double y, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
    io.MouseDown[0] = down;
    frame();
  }
  void press(const std::string& name) {
    InputEvent event;
    event.kind = InputEvent::Kind::key_press;
    event.key = name;
    session_.handle({event}, layout_, Session::Keyboard::free, panels_.feedback());
    frame();
  }
  static bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Experiment experiment_{*backend_, tank_with_a_hint()};
  Session session_{experiment_, 2};
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
  DisplayInfo display_{"host-mapped", ""};
  Panels panels_;
  Rect box_, bar_;
};

TEST_F(UiHint, FollowsDragAndAvoidsColorBar) {
  frame();
  frame();
  ASSERT_GT(box_.width, 0);
  const Rect before = box_;
  pointer(before.x + 30, before.y + 10, false);
  pointer(before.x + 30, before.y + 10, true);
  for (int k = 1; k <= 10; ++k) pointer(before.x + 30 - 10 * k, before.y + 10 + 20 * k, true);
  pointer(before.x - 70, before.y + 210, false);
  EXPECT_NEAR(box_.x, before.x - 100, 3);
  EXPECT_NEAR(box_.y, before.y + 200, 3);
  EXPECT_TRUE(experiment_.log().empty()) << "the water under it is not pressed";
  EXPECT_TRUE(session_.interface().hint) << "nor is that a gesture that ends it";
  // Wherever it and the bar are placed, they do not overlap.
  PanelStates states = panels_.states();
  for (const double across : {0.0, 0.5, 1.0})
    for (const double bar_across : {0.0, 0.5, 1.0}) {
      states.hint.box = {across, 0.5};
      states.color_bar = {bar_across, 0.5};
      frame_with(states);
      EXPECT_FALSE(box_.width > 0 && overlap(box_, bar_)) << across << ", " << bar_across;
    }
}

TEST_F(UiHint, IsShownBesideTheCardOfThePuzzlesAndTheEditor) {
  InterfaceState interface = session_.interface();
  interface.preferences.edit_kernels = true;
  interface.preferences.simple = false;
  session_.set_interface(interface);
  frame();
  frame();
  const Rect card = card_over_view_rect(panel());
  ASSERT_TRUE(overlap(box_, card)) << "without the card the hint is in the middle";
  for (const bool puzzles : {false, true})
    for (const double across : {0.0, 0.5, 1.0}) {
      PanelStates states = panels_.states();
      states.kernel_editor.open = !puzzles;
      states.puzzle_card.open = puzzles;
      states.hint.box = {across, 0};
      frame_with(states);
      ASSERT_GT(box_.width, 0) << puzzles << ", " << across;
      EXPECT_FALSE(overlap(box_, card)) << puzzles << ", " << across;
      EXPECT_FALSE(overlap(box_, bar_)) << puzzles << ", " << across;
    }
}

TEST_F(UiHint, LeavesTheTitlesOfARaceFree) {
  Scene race = tank_with_a_hint();
  for (const char* lane : {"kernel=fused", "kernel=temporal"})
    race.lanes.push_back(parse_lane(lane, find_simulation(race.setup.simulation)));
  experiment_.open(race);
  layout_.lanes = race.lanes.size();
  frame();
  frame();
  ASSERT_GT(box_.width, 0);
  EXPECT_GT(lane_titles_height(panel()), 0);
  PanelStates states = panels_.states();
  states.hint.box = {0.5, 0};  // as high as it can be dragged
  frame_with(states);
  EXPECT_GE(box_.y, layout_.view_rect.y + lane_titles_height(panel()));
}

TEST_F(UiHint, ClosesOnCrossAndOnEsc) {
  frame();
  frame();
  const double y = box_.y + 20;
  bool ended = false;
  for (double x = box_.x + box_.width - 4; x > box_.x + box_.width - 40 && !ended; x -= 4) {
    pointer(x, y, false);
    pointer(x, y, true);
    pointer(x, y, false);
    ended = !session_.interface().hint;
  }
  EXPECT_TRUE(ended);
  show_hint();
  press("Esc");
  EXPECT_FALSE(session_.interface().hint);
}

TEST_F(UiHint, FadesUnlessHoveredOrPaused) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  session_.playback().set_playing(false);
  pass(60);
  EXPECT_TRUE(session_.interface().hint) << "a paused run keeps the hint";
  session_.playback().set_playing(true);
  const Rect place = box_;
  pointer(place.x + 20, place.y + 10, false);
  pass(60);
  EXPECT_TRUE(session_.interface().hint) << "the pointer rests on it";
  pointer(10, 600, false);
  pass(31);
  EXPECT_TRUE(session_.interface().hint) << "it fades";
  pass(4);
  EXPECT_FALSE(session_.interface().hint);
}

TEST_F(UiHint, DisappearsWithoutFadingInReducedMotion) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  Preferences preferences = session_.interface().preferences;
  preferences.reduced_motion = true;
  session_.execute(ChangeInterface{&InterfaceState::preferences, preferences});
  pass(29);
  EXPECT_TRUE(session_.interface().hint);
  pass(1.5);
  EXPECT_FALSE(session_.interface().hint);
}

TEST_F(UiHint, DescribesViewOnF7) {
  press("F7");
  frame();
  std::string all;
  for (const DrawnText& text : drawn_text()) all += text.text + " ";
  for (const std::string& words : {session_.run().scene->tries.front().substr(0, 20), std::string("About this scene"),
                                   session_.info().equation.substr(0, 4)})
    EXPECT_NE(all.find(words), std::string::npos) << words << " in " << all;
  press("F7");
  EXPECT_EQ(session_.interface().overlay, Overlay::none);
}

}  // namespace
}  // namespace perturb
