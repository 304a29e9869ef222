// The panels by keyboard: the order of Tab, the effect of Enter and the arrows, and typing a value.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/puzzles.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/keyboard_navigation.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class UiKeys : public testing::Test, protected DrawnPanels {
 protected:
  UiKeys() : DrawnPanels(make_layout(1280, 720, 1, 1, true)) { enable_keyboard_navigation(); }

  void open(const std::string& path) {
    Scene scene = load_scene(path);
    if (scene.setup.width > 0) scene.setup.width = scene.setup.height = 48;
    DrawnPanels::open(scene);
    panels_ = {};
    session_->playback().set_playing(false);
    frames(3);
  }
  void frame(const std::vector<InputEvent>& events, Session::Keyboard keyboard) {
    session_->handle(events, layout_, keyboard, panels_.feedback());
    session_->observe(true);
    gui_.begin_frame(layout_, 1.0 / 60, std::exchange(events_, {}));
    panels_.draw(*session_, gui_.style(), layout_, {"host-mapped", ""});
    gui_.end_frame();
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame({}, Session::Keyboard::navigating);
  }
  void key(const std::string& name, bool shift = false, Session::Keyboard keyboard = Session::Keyboard::navigating) {
    InputEvent event = key_press(name);
    event.shift = shift;
    frame({event}, keyboard);
    frames(1);
  }
  // Enter on the focused item, which Gui passes on as ImGui's Space.
  void press_focused_item() {
    for (const bool down : {true, false}) {
      set_imgui_key(ImGuiKey_Space, down);
      frames(1);
    }
  }
  // Into the open field; Tab accepts the value and moves on.
  void type(const char* text) {
    frames(2);
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frames(1);
    frame({key_press("Tab")}, Session::Keyboard::typing);
    frames(2);
  }
  const InterfaceState& interface() const { return session_->interface(); }
  void show(Tab tab) { session_->execute(ShowTab{tab}); }
  static const ImGuiContext& context() { return *ImGui::GetCurrentContext(); }
  static ImGuiID here() { return context().NavId; }
  static std::string window() { return context().NavWindow ? context().NavWindow->RootWindow->Name : ""; }
  // The screen rectangle of the focused item.
  static ImRect box() {
    ImGuiWindow* window = context().NavWindow;
    return ImGui::WindowRectRelToAbs(window, window->NavRectRel[context().NavLayer]);
  }
  // The items from F6 onwards with Tab, until it returns to the first.
  std::vector<ImGuiID> tab_sequence() {
    session_->post(CommandId::focus_panel);
    frames(2);
    std::vector<ImGuiID> ids;
    while (ids.size() < 300 && std::find(ids.begin(), ids.end(), here()) == ids.end()) {
      ids.push_back(here());
      key("Tab");
    }
    EXPECT_EQ(here(), ids.front()) << "it comes round to where it began";
    return ids;
  }

  std::vector<InputEvent> events_;  // of the next frame, as the panels receive them
};

TEST_F(UiKeys, TabVisitsAllItemsInBothDirections) {
  for (const SimulationInfo* info : catalog()) {
    if (has_small_reach() && info != catalog().front()) break;
    SCOPED_TRACE(info->id);
    open(info->id);
    for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels}) {
      show(tab);
      frames(2);
      const std::vector<ImGuiID> ids = tab_sequence();
      // At least scenes, tools, tabs, and the buttons of the transport bar.
      std::size_t least = 1 + info->tools.size() + 4 + 4;
      if (tab == Tab::physics) least += info->parameters.size() / 2;
      EXPECT_GE(ids.size(), least) << "tab " << static_cast<int>(tab);
      // Back in reverse order.
      for (std::size_t k = ids.size(); k-- > ids.size() - 5;) {
        key("Tab", true);
        EXPECT_EQ(here(), ids[k]);
      }
    }
  }
}

TEST_F(UiKeys, ShowsFocusedItem) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  open("lbm/cylinder");
  show(Tab::physics);
  frames(2);
  for (const auto& [width, height, scale] : {std::tuple{1280, 720, 1.0}, {1024, 768, 2.0}, {2560, 1440, 1.0}}) {
    SCOPED_TRACE(width);
    layout_ = make_layout(width, height, 1, scale, true);
    frames(3);
    for (std::size_t k = tab_sequence().size(); k-- > 0;) {
      EXPECT_TRUE(focus_is_shown());
      const ImRect at = box();
      EXPECT_GE(at.Min.y, -2) << "scrolled into sight";
      EXPECT_LE(at.Max.y, layout_.height + 2);
      EXPECT_GE(at.Min.x, -2);
      EXPECT_LE(at.Max.x, layout_.width + 2);
      key("Tab");
    }
  }
}

TEST_F(UiKeys, ClosedDialogGivesKeysBackToThePanelThatHadThem) {
  open("wave/droplet");
  key("F6");
  const std::string panel = window();
  key("F1");
  for (int k = 0; k < 3; ++k) key("Tab");
  EXPECT_EQ(window(), "help");
  key("Esc");
  frames(3);
  EXPECT_TRUE(session_->input().keys_in_panel());
  EXPECT_EQ(window(), panel);
}

TEST_F(UiKeys, TabStaysWithinDialogAndList) {
  open("wave/droplet");
  key("F1");
  ASSERT_EQ(interface().overlay, Overlay::help);
  std::set<std::string> windows;
  for (int k = 0; k < 12; ++k) {
    key("Tab", false, Session::Keyboard::free);
    windows.insert(window());
  }
  EXPECT_EQ(windows, std::set<std::string>{"help"});
  EXPECT_TRUE(interface().panels) << "Tab hides nothing while a dialog is open";
  key("Esc");
  EXPECT_EQ(interface().overlay, Overlay::none);
  // Without keyboard focus in the panel, Tab hides the panels as usual.
  EXPECT_FALSE(session_->input().keys_in_panel());
  EXPECT_FALSE(gui_.is_navigating()) << "arrows move the crosshair again, and Enter does not press the panel's items";
  key("Tab", false, Session::Keyboard::free);
  EXPECT_FALSE(interface().panels);
}

TEST_F(UiKeys, TypesValueOfFocusedSlider) {
  open("wave/droplet");
  show(Tab::physics);
  frames(2);
  const std::size_t count = tab_sequence().size();
  std::set<std::string> typed;
  for (std::size_t k = 0; k < count; ++k) {
    key("Ctrl+Enter");
    if (!panels_.rows().typing().empty()) {
      const std::string now = panels_.rows().typing();
      typed.insert(now);
      if (now == "damping") {
        type("0.25");
        EXPECT_EQ(experiment_->simulation().parameters().get("damping"), 0.25);
        EXPECT_TRUE(panels_.rows().typing().empty());
        continue;
      }
    }
    key("Tab");
  }
  // Every number that a slider shows, including those that restart the scene.
  for (const Parameter& parameter : session_->info().parameters)
    if (parameter.kind != ValueKind::boolean && parameter.kind != ValueKind::choice) {
      EXPECT_TRUE(typed.count(parameter.id)) << parameter.id;
    }
  EXPECT_GE(typed.size(), 3u);
}

// A formula is a row of its own, with a text in place of a number.
TEST_F(UiKeys, TypesFormulaOfFocusedRow) {
  open("membrane/load");
  show(Tab::physics);
  frames(2);
  const auto formula = [&] {
    const ParameterSet parameters = experiment_->simulation().parameters();
    const Parameter& row = parameters.find("load_formula");
    return row.format(parameters.get(row));
  };
  const auto type = [&](const char* text) {
    for (std::size_t k = 0, count = tab_sequence().size(); k < count; ++k) {
      key("Ctrl+Enter");
      if (panels_.rows().typing() == "load_formula") break;
      key("Tab");
    }
    ASSERT_EQ(panels_.rows().typing(), "load_formula");
    UiKeys::type(text);
    EXPECT_TRUE(panels_.rows().typing().empty());
  };
  EXPECT_EQ(formula(), "1");
  type("x * (1 - y) - 0.25");
  EXPECT_EQ(formula(), "x * (1 - y) - 0.25");
  type("1 / x");
  EXPECT_EQ(formula(), "x * (1 - y) - 0.25") << "no finite value at x = 0";
  EXPECT_FALSE(experiment_->next_undo().empty()) << "a change as any other";
}

// The pointer rests on a tool while the keyboard focus is in the panel: both request a tooltip, and one is shown.
TEST_F(UiKeys, ShowsOneTooltipAtATime) {
  open("wave/droplet");
  frames(3);
  const std::vector<DrawnText> texts = drawn_text();
  const std::string tool = session_->info().tools[1].label;
  const auto button = std::find_if(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == tool; });
  ASSERT_NE(button, texts.end());
  const auto shown_tooltip = [] { return drawn_lines("Tooltip"); };
  ImGui::GetIO().MousePos = ImVec2(static_cast<float>(button->box.x + 2), static_cast<float>(button->box.y + 2));
  frames(60);
  const std::string by_pointer = shown_tooltip();
  EXPECT_NE(by_pointer, "");
  events_ = {key_press("F6")};
  session_->post(CommandId::focus_panel);
  frames(60);
  const std::string by_keys = shown_tooltip();
  EXPECT_NE(by_keys, "");
  EXPECT_EQ(by_keys.find(by_pointer), std::string::npos) << by_keys;
  ImGui::GetIO().MousePos.x += 3;
  frames(60);
  EXPECT_EQ(shown_tooltip(), by_pointer) << "the pointer asks again";
}

TEST_F(UiKeys, DrawsSketchWithArrowKeys) {
  open("wave/droplet");
  session_->post(OpenLesson{"wave/two-slits"});
  frames(3);
  session_->post(CommandId::next_step);
  frames(3);
  session_->post(CommandId::focus_panel);
  frames(2);
  auto* order = static_cast<TabOrder*>(ImGui::GetIO().UserData);
  ASSERT_TRUE(order);
  const auto is_on_pad = [] { return context().NavWindow && context().NavWindow->GetID("##sketch") == here(); };
  for (int k = 0; k < 60 && !is_on_pad(); ++k) key("Tab");
  ASSERT_TRUE(is_on_pad()) << "the pad is reached";
  EXPECT_FALSE(order->captures_arrows());
  press_focused_item();
  ASSERT_TRUE(order->captures_arrows());
  const std::vector<float>& sketch = panels_.states().lesson.sketch;
  ASSERT_FALSE(sketch.empty());
  const auto last = sketch.size() - 1;
  for (int k = 0; k < 12; ++k) {
    order->add_arrow_press(1, 0, false);
    order->add_arrow_press(0, 1, false);
    frames(1);
  }
  order->add_arrow_press(0, 0, true);
  frames(1);
  for (int k = 0; k < 12; ++k) {
    order->add_arrow_press(1, 0, false);
    order->add_arrow_press(0, -1, false);
    frames(1);
  }
  EXPECT_NEAR(sketch[0], 0.5, 0.06);
  EXPECT_NEAR(sketch[last / 2], 1, 0.11) << "a heap in the middle";
  EXPECT_NEAR(sketch[last], 0.45, 0.11);
  EXPECT_GT(*std::min_element(sketch.begin(), sketch.end()), 0.f) << "and no gap";
}

TEST_F(UiKeys, ArrowKeysChooseTheThreadOfAPuzzle) {
  layout_ = make_layout(1600, 1400, 1, 1, true);
  open("wave/droplet");
  set_preference(*session_, &Preferences::edit_kernels, true);
  panels_.open_puzzles();
  const Puzzle& first = all_puzzles().front();
  session_->execute(CheckPuzzle{first.id, first.solution});
  while (session_->puzzles().is_checking()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    frames(1);
  }
  frames(2);
  session_->post(CommandId::focus_panel);
  frames(2);
  const auto is_on_threads = [] { return context().NavWindow && context().NavWindow->GetID("##threads") == here(); };
  for (int k = 0; k < 100 && !is_on_threads(); ++k) key("Tab");
  ASSERT_TRUE(is_on_threads()) << "the threads are reached";
  const int before = panels_.states().puzzle_card.thread;
  auto* order = static_cast<TabOrder*>(ImGui::GetIO().UserData);
  for (int k = 0; k < 3; ++k) {
    order->add_arrow_press(1, 0, false);
    order->add_arrow_press(0, 1, false);
    frames(1);
  }
  EXPECT_EQ(panels_.states().puzzle_card.thread, before + 3) << "a block of one row";
  for (int k = 0; k < 70; ++k) {
    order->add_arrow_press(1, 0, false);
    frames(1);
  }
  EXPECT_EQ(panels_.states().puzzle_card.thread, 63);
}

}  // namespace
}  // namespace perturb
