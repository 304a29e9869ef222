// Kiosk mode: scenes in turn, a restart after each visitor, and ten thousand frames of random input.
#include "app/session/kiosk.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/backend/check.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

Scene tiny(const std::string& path) { return scene_of_width(path, 32); }

// Resident memory of the program.
std::size_t program_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, present = 0;
  file >> all >> present;
  return present * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class KioskMode : public testing::Test {
 protected:
  using Kind = InputEvent::Kind;

  void frames(Kiosk& kiosk, int count, double seconds, const std::vector<InputEvent>& events = {}) {
    for (int i = 0; i < count; ++i) {
      session_.handle(kiosk.filter_events(i == 0 ? events : std::vector<InputEvent>()), layout_,
                      Session::Keyboard::free);
      kiosk.end_frame(session_, seconds);
    }
    session_.handle({}, layout_, Session::Keyboard::free);
  }
  std::string scene() const {
    return session_.run().scene->setup.simulation + "/" + session_.run().scene->setup.preset;
  }
  static InputEvent press(double x, double y) { return mouse_event(Kind::press, x, y, InputEvent::Button::left); }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tiny("wave/droplet")};
  Session session_{experiment_, 1};
  Layout layout_ = make_layout(640, 480, 1, 1, false);
};

TEST_F(KioskMode, CyclesThroughScenesWhenIdle) {
  Kiosk kiosk({"wave/rain", "wave/droplet", "particles/gas"}, {10, 20, 5});
  frames(kiosk, 2, 0.1);
  EXPECT_EQ(scene(), "wave/rain");
  EXPECT_FALSE(session_.interface().panels);
  EXPECT_TRUE(session_.interface().color_bar_without_panels);
  EXPECT_TRUE(kiosk.shows_invitation());
  frames(kiosk, 100, 0.11);
  EXPECT_EQ(scene(), "wave/droplet");
  frames(kiosk, 100, 0.11);
  EXPECT_EQ(scene(), "particles/gas");
  frames(kiosk, 100, 0.11);
  EXPECT_EQ(scene(), "wave/rain") << "and round again";
}

TEST_F(KioskMode, KeepsSceneForVisitorAndRestartsAfterwards) {
  Kiosk kiosk({"wave/rain", "wave/droplet"}, {10, 20, 5});
  frames(kiosk, 2, 0.1);
  frames(kiosk, 150, 0.1, {press(320, 240)});
  EXPECT_EQ(scene(), "wave/rain") << "longer than the scene's time, but a visitor is present";
  EXPECT_FALSE(kiosk.shows_invitation());
  EXPECT_GT(experiment_.log().size(), 0u);
  session_.view().camera().zoom = 9;
  frames(kiosk, 60, 0.1);
  EXPECT_EQ(scene(), "wave/rain");
  EXPECT_TRUE(kiosk.shows_invitation()) << "the visitor is gone";
  EXPECT_EQ(experiment_.log().size(), 0u) << "and what was done";
  EXPECT_NE(session_.view().camera().zoom, 9);
}

// Its waves fade long before the scene is over.
TEST_F(KioskMode, RepeatsTheDropletWithoutAVisitor) {
  Kiosk kiosk({"wave/droplet"}, {45, 20, 5});
  frames(kiosk, 2, 0.1);
  const auto droplets = [&] { return experiment_.log().size(); };
  EXPECT_EQ(droplets(), 0u);
  frames(kiosk, 400, 0.1);
  const std::size_t fallen = droplets();
  EXPECT_GE(fallen, 8u);
  for (const Event& event : experiment_.log()) {
    const auto* action = std::get_if<Action>(&event.change);
    ASSERT_NE(action, nullptr);
    EXPECT_EQ(action->kind, "droplet");
    EXPECT_EQ(action->get("x"), 0.5);
  }
  frames(kiosk, 100, 0.1, {press(320, 240)});
  EXPECT_LE(droplets(), fallen + 1) << "a visitor is present";
}

TEST_F(KioskMode, IgnoresAllKeysExceptQuit) {
  Kiosk kiosk({"wave/rain"}, {10, 20, 5});
  frames(kiosk, 2, 0.1);
  frames(kiosk, 2, 0.1, {key_press("Tab"), key_press("F1"), key_press("]"), key_press("Ctrl+O"), key_press("Space")});
  EXPECT_FALSE(session_.interface().panels);
  EXPECT_EQ(session_.interface().overlay, Overlay::none);
  EXPECT_EQ(scene(), "wave/rain");
  EXPECT_TRUE(session_.playback().playing());
  EXPECT_TRUE(session_.take_window_commands().empty());
  frames(kiosk, 1, 0.1, {key_press("Ctrl+Q")});
  const std::vector<Command> asked = session_.take_window_commands();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(std::get<CommandId>(asked.front()), CommandId::quit);
}

TEST_F(KioskMode, RestartsStoppedRun) {
  Kiosk kiosk({"wave/rain"}, {10, 20, 5});
  frames(kiosk, 2, 0.1);
  Diagnostics broken;
  broken.finite = false;
  broken.error = "A cell is no longer a number.";
  experiment_.check_diagnostics(broken);
  ASSERT_FALSE(experiment_.stop_reason().empty());
  frames(kiosk, 60, 0.1);
  EXPECT_TRUE(experiment_.stop_reason().empty());
}

TEST_F(KioskMode, ShowsNoDialogAndIgnoresDroppedFiles) {
  Kiosk kiosk({"wave/rain"}, {10, 20, 5});
  frames(kiosk, 2, 0.1);
  InputEvent drop;
  drop.kind = Kind::drop;
  drop.files = {"/nowhere/a.png"};
  frames(kiosk, 1, 0.1, {drop});
  EXPECT_EQ(session_.message().text, "");
  EXPECT_EQ(kiosk.invitation(), "Press or drag anywhere: it responds.");
  Diagnostics broken;
  broken.finite = false;
  broken.error = "A cell is no longer a number.";
  experiment_.check_diagnostics(broken);
  frames(kiosk, 2, 0.1);
  EXPECT_TRUE(kiosk.shows_invitation());
  EXPECT_EQ(kiosk.invitation(), "Restarting in a moment.");
  Gui gui(Gui::Renderer::none);
  Panels panels;
  const auto says_so = [&] {
    for (int i = 0; i < 2; ++i) {
      draw_panels(session_, gui, panels, layout_, 0.1);
    }
    const std::vector<DrawnText> texts = drawn_text();
    return std::any_of(texts.begin(), texts.end(),
                       [](const DrawnText& t) { return t.text.find("has stopped") != std::string::npos; });
  };
  EXPECT_FALSE(says_so());
  InterfaceState without_kiosk = session_.interface();
  without_kiosk.kiosk = false;
  session_.set_interface(without_kiosk);
  EXPECT_TRUE(says_so()) << "any other window shows the dialog";
}

TEST_F(KioskMode, InvitesWithoutWordsOfPanelsMouseOrFingers) {
  std::set<std::string> simulations;
  for (const std::string& path : kiosk_scenes("")) {
    const std::string words = load_scene(path).kiosk_hint;
    simulations.insert(path.substr(0, path.find('/')));
    for (const char* word :
         {"lick", "button", "Ctrl", "key", "tool", "tab ", "slider", "\"", "panel", "Tap", "finger", "ouse"})
      EXPECT_EQ(words.find(word), std::string::npos) << path << ": " << words;
    EXPECT_FALSE(words.empty()) << path;
  }
  EXPECT_EQ(simulations, (std::set<std::string>{"wave", "lbm", "particles", "fibers", "membrane"}));
  EXPECT_TRUE(kiosk_scenes("wave/rain").empty()) << "it is not a simulation";
  // In the view: the text for visitors, and no other.
  Gui gui(Gui::Renderer::none);
  Panels panels;
  const auto shows = [&](const std::string& word) {
    for (int i = 0; i < 2; ++i) {
      session_.handle({}, layout_, Session::Keyboard::free);
      draw_panels(session_, gui, panels, layout_, 0.1);
    }
    return !find_drawn_text(word).text.empty();
  };
  Kiosk kiosk({"wave/droplet", "wave/rain"}, {10, 20, 5});
  panels.set_invitation(kiosk.invitation());
  frames(kiosk, 2, 0.1);
  EXPECT_TRUE(shows("Press or drag anywhere"));
  EXPECT_FALSE(shows("left button"));
  EXPECT_FALSE(shows("Tap the water"));
  frames(kiosk, 100, 0.11);
  EXPECT_TRUE(shows("Draw furrows across it"));
  EXPECT_FALSE(shows("slider"));
}

TEST_F(KioskMode, NeedsAScene) { EXPECT_THROW(Kiosk({}), InputError); }

// Presses, drags, wheels and keys at random, hours of them in minutes: nothing fails, and memory stays constant once
// the log is full.
TEST_F(KioskMode, KeepsMemoryBoundedUnderRandomInput) {
  const int frames_each = reach(5000, 200);
  Kiosk kiosk({"wave/droplet", "wave/rain"}, {3, 4, 1});
  std::mt19937 random(7);
  const auto chance = [&](int of) { return static_cast<int>(random() % static_cast<unsigned>(of)); };
  bool down = false;
  const auto soak = [&](int count) {
    std::size_t most = 0;
    for (int i = 0; i < count; ++i) {
      std::vector<InputEvent> events;
      for (int k = chance(4); k > 0; --k) {
        InputEvent event;
        event.x = chance(700) - 30;
        event.y = chance(540) - 30;
        event.shift = chance(5) == 0;
        event.control = chance(5) == 0;
        switch (chance(6)) {
          case 0:
            event.kind = down ? Kind::release : Kind::press;
            down = !down;
            event.button = chance(2) ? InputEvent::Button::left : InputEvent::Button::right;
            break;
          case 1:
            event.kind = Kind::scroll;
            event.scroll = chance(7) - 3;
            break;
          case 2:
            event.kind = Kind::key_press;
            event.key = std::vector<std::string>{
                "Tab", "Space", "Left", "Enter", "F1", "1", "2", "r", "]", "Esc"}[static_cast<std::size_t>(chance(10))];
            break;
          default:
            event.kind = Kind::move;
        }
        events.push_back(event);
      }
      // The size of a scene has no effect here: they are all as small as the first.
      session_.handle(kiosk.filter_events(events), layout_, Session::Keyboard::free);
      if (i % 10 == 0) {
        session_.advance();
        session_.observe(true);
      }
      session_.end_frame(1.0 / 60, 0.004);
      kiosk.end_frame(session_, 1.0 / 60);
      most = std::max(most, backend_->memory_in_use());
      EXPECT_TRUE(std::isfinite(session_.view().camera().zoom));
      EXPECT_TRUE(session_.take_window_commands().empty()) << "a visitor reaches only the run";
    }
    return most;
  };
  const std::size_t first = soak(frames_each), bytes_before = program_bytes();
  const std::size_t second = soak(frames_each), bytes_after = program_bytes();
  EXPECT_LE(second, first + first / 4) << "bytes of the backend's memory";
  // A sanitizer keeps freed memory.
  if (!is_sanitized) {
    EXPECT_LE(bytes_after, bytes_before + (8u << 20)) << "bytes of all that the program has";
  }
  EXPECT_TRUE(experiment_.stop_reason().empty());
}

}  // namespace
}  // namespace perturb
