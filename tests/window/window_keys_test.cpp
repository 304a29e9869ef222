// The panels by keyboard alone, in real windows: a value is typed into the field that Tab leads to, a lesson's sketch
// is drawn.
#include <fstream>
#include <iterator>
#include <tuple>

#include <imgui_internal.h>

#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "app/lessons/lesson_library.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/keyboard_navigation.h"
#include "tests/support/panel_frames.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class WindowKeys : public RealWindow {
 protected:
  // The panel of the window at a first start, with this view: in the scene's units.
  static void choose_view(Session& session, const std::string& panel) {
    const Preferences first = with_panel(session.interface().preferences, "simple");
    session.execute(ChangeInterface{&InterfaceState::preferences, with_panel(first, panel)});
  }
  // Number of presses of Tab from F6 to the item that `is_there` finds, in panels of the window's layout; -1: none.
  int tabs_to(Session& session, const std::function<bool(const Panels&)>& is_there) const {
    Gui gui(Gui::Renderer::none);
    Panels panels;
    enable_keyboard_navigation();
    const auto frame = [&](const std::vector<InputEvent>& events) {
      session.handle(events, layout_, Session::Keyboard::navigating, panels.feedback());
      session.observe(true);
      draw_panels(session, gui, panels, layout_);
    };
    const auto press = [&](const std::string& name) {
      frame({key_press(name)});
      frame({});
    };
    for (int i = 0; i < 3; ++i) frame({});
    press("F6");
    for (int tabs = 0; tabs < 100; ++tabs) {
      press("Ctrl+Enter");
      if (is_there(panels)) return tabs;
      press("Tab");
    }
    return -1;
  }
};

TEST_F(WindowKeys, TypesValueWithoutPointer) {
  for (const auto& [w, h, scale] : {std::tuple{1280, 720, 1}, {1024, 768, 2}, {2560, 1440, 1}}) {
    if (is_sanitized && w != 1280) continue;
    SCOPED_TRACE(w);
    if (program_) {
      TearDown();
      SetUp();
    }
    start_command({"wave/droplet"}, w, h, scale);
    ASSERT_TRUE(paused_image());
    const auto backend = Backend::make_cpu(1);
    Experiment experiment(*backend, load_scene("wave/droplet"));
    Session session(experiment, 1);
    session.playback().set_playing(false);
    choose_view(session, "full");
    const int tabs = tabs_to(session, [](const Panels& panels) { return panels.rows().typing() == "damping"; });
    ASSERT_GE(tabs, 0);
    key("F6");
    wait_for_frame();
    for (int k = 0; k < tabs; ++k) {
      key("Tab");
      if (k % 8 == 7) wait_for_input();
    }
    wait_for_frame();
    key("ctrl+Return");
    wait_for_typing();
    // Per second; the scene's unit of time is 0.004 s.
    ASSERT_EQ(xdotool({"type", "3.125"}), 0);
    key("Return");
    const std::filesystem::path file = saved_state();
    ASSERT_FALSE(file.empty()) << output();
    EXPECT_EQ(std::stod(load_state(file.string()).parameters.at("damping")), 0.0125);
  }
}

TEST_F(WindowKeys, DrawsSketchAndAnswers) {
  const auto progress = [this] {
    std::ifstream file(folder_ / "state/perturb/lessons.json");
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const auto reaches = [&](const std::string& words) {
    return eventually([&] { return progress().find(words) != std::string::npos || program_->ended(); });
  };
  start_command({"lesson", "wave/two-slits"}, 1280, 720);
  ASSERT_TRUE(reaches("wave/two-slits")) << output();
  key("Next");
  ASSERT_TRUE(reaches("\"step\": 1")) << progress();

  const auto backend = Backend::make_cpu(1);
  const std::shared_ptr<const Lesson> lesson = load_lesson("wave/two-slits");
  Experiment experiment(*backend, lesson->steps.front().scene);
  Session session(experiment, 1);
  LessonSession run(lesson);
  run.go_to(1);
  run.begin_step(0);
  session.lessons().show(run);
  choose_view(session, "simple");
  const int tabs = tabs_to(session, [](const Panels&) {
    ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
    return window && window->GetID("##sketch") == ImGui::GetCurrentContext()->NavId;
  });
  ASSERT_GE(tabs, 0);
  key("F6");
  wait_for_frame();
  for (int k = 0; k < tabs; ++k) key("Tab");
  wait_for_frame();
  key("Return");
  wait_for_frame();
  // Up to the middle and down again.
  for (const char* name : {"Up", "Down"})
    for (int k = 0; k < 12; ++k) {
      key("Right");
      key(name);
    }
  wait_for_frame();
  const std::vector<std::uint8_t> drawn = capture_window();
  key("Tab");  // from the pad to "Answer", which submits the sketch: the pad no longer receives keys
  key("Return");
  wait_for_frame();
  for (const char* name : {"Up", "Right"}) key(name);
  const std::vector<std::uint8_t> answered = capture_window();
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  const ImU32 ink = palette_of(Theme::dark).inks[1];
  const auto pixels_of_ink = [&](const std::vector<std::uint8_t>& pixels) {
    int count = 0;
    for (std::size_t k = 0; k + 2 < pixels.size(); k += 3)
      count += IM_COL32(pixels[k], pixels[k + 1], pixels[k + 2], 255) == ink;
    return count;
  };
  EXPECT_GT(pixels_of_ink(drawn), 200) << "a line across the pad";
  EXPECT_NE(drawn, answered) << "and it is the answer";
}

}  // namespace
}  // namespace perturb
