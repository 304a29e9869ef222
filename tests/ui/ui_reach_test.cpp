// Everything is accessible in a window of any size, with text of any size.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/screen_size.h"

namespace perturb {
namespace {

class UiReach : public ScratchFolder {
 protected:
  static Scene tank() { return scene_of_width("wave/droplet", 32); }
  void SetUp() override {
    ScratchFolder::SetUp();
    session_.output().set_default_folders(path(""), path(""));
    session_.playback().set_playing(false);
  }

  void draw(const Layout& layout, int frames = 1) { lay_out(session_, gui_, panels_, layout, frames); }
  void click(const Layout& layout, double x, double y) {
    for (const bool down : {false, false, true, false, false}) {
      move_pointer(x, y, down);
      draw(layout);
    }
  }
  bool list_is_open() const { return panels_.feedback().list_open; }
  // Clicks, and records which commands of the transport bar were executed, by what each does. Every click finds the
  // run paused, with a wall, nothing to redo, and no dialog open.
  void click_transport(const Layout& layout, double x, double y) {
    constexpr int steps_per_frame = 8;
    session_.playback().set_playing(false);
    session_.pace().set_unit(Pace::Unit::per_frame);
    session_.pace().set_requested(steps_per_frame);
    if (experiment_.log().empty() || !experiment_.next_redo().empty())
      experiment_.perform(Action{"wall-line", {{"x0", 0.4}, {"y0", 0.5}, {"x1", 0.6}, {"y1", 0.5}}, "", nullptr});
    const std::int64_t steps = experiment_.simulation().steps();
    const int runs = session_.runs();

    click(layout, x, y);

    const InterfaceState& shown = session_.interface();
    if (session_.playback().playing()) done_.insert(CommandId::play_pause);
    if (experiment_.simulation().steps() > steps) done_.insert(CommandId::single_step);
    // Only a restart replaces the run and leaves nothing to redo; the wall shows which one it was.
    if (session_.runs() > runs && experiment_.next_redo().empty())
      done_.insert(experiment_.log().empty() ? CommandId::restart : CommandId::restart_keeping);
    if (session_.pace().requested() > steps_per_frame) done_.insert(CommandId::faster);
    if (session_.pace().requested() < steps_per_frame) done_.insert(CommandId::slower);
    if (shown.overlay == Overlay::files) done_.insert(CommandId::open_file);
    if (shown.overlay == Overlay::help)
      done_.insert(shown.help_page == scene_help_page ? CommandId::about_scene : CommandId::help);
    if (session_.message().text.english().starts_with("State saved")) done_.insert(CommandId::save_state);
    for (const Command& command : session_.take_window_commands())
      if (const auto* id = std::get_if<CommandId>(&command)) done_.insert(*id);

    InterfaceState state = session_.interface();
    state.overlay = Overlay::none;
    state.help_page = 0;
    session_.set_interface(state);
    session_.show_message("");
    draw(layout);
  }
  static bool is_drawn(const std::string& text) {
    const std::vector<DrawnText> texts = drawn_text();
    return std::any_of(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == text; });
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 1};
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  std::set<CommandId> done_;
};

// At small reach a window with a column, and one with a drawer.
const std::vector<ScreenSize> reach_sizes = reach<std::vector<ScreenSize>>({{1280, 720, 1},
                                                                            {1024, 768, 2},
                                                                            {1920, 1080, 3.89},
                                                                            {2560, 1440, 1},
                                                                            {3840, 2160, 2},
                                                                            {1280, 720, 1.8},
                                                                            {1280, 720, 1.5},
                                                                            {640, 480, 3},
                                                                            {500, 300, 2},
                                                                            {800, 600, 1.2}},
                                                                           {{1280, 720, 1}, {500, 300, 2}});

TEST_F(UiReach, ShowsEveryTransportButton) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  for (const ScreenSize& size : reach_sizes) {
    SCOPED_TRACE(words(size));
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
    done_.clear();
    draw(layout, 3);
    const double y = layout.transport.y + 0.5 * layout.transport.height, step = 12 * layout.unit;
    for (double x = layout.transport.x + step; x < layout.transport.x + layout.transport.width; x += step) {
      click_transport(layout, x, y);
      if (!list_is_open()) continue;
      // A list of text buttons: each is selected in turn.
      std::vector<Rect> entries;
      for (const DrawnText& t : drawn_text())
        if (t.window.find("Popup") != std::string::npos) entries.push_back(t.box);
      EXPECT_FALSE(entries.empty());
      for (const Rect& entry : entries) {
        if (!list_is_open()) click(layout, x, y);
        click_transport(layout, entry.x + 0.5 * entry.width, entry.y + 0.5 * entry.height);
      }
      if (list_is_open()) click(layout, 3, 3);
    }
    for (const CommandId command :
         {CommandId::play_pause, CommandId::single_step, CommandId::restart, CommandId::faster, CommandId::slower,
          CommandId::restart_keeping, CommandId::about_scene, CommandId::screenshot, CommandId::save_state,
          CommandId::open_file, CommandId::fullscreen, CommandId::help})
      EXPECT_TRUE(done_.count(command)) << info_of(command).label;
  }
}

TEST_F(UiReach, PutsPanelsNextToViewOrInDrawer) {
  for (const ScreenSize& size : reach_sizes) {
    SCOPED_TRACE(words(size));
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
    draw(layout, 3);
    ASSERT_TRUE(layout.has_column);
    if (!layout.is_drawer) {
      EXPECT_TRUE(is_drawn("Tool"));
      continue;
    }
    EXPECT_FALSE(is_drawn("Tool"));
    // The label of the handle is drawn from top to bottom, one letter per line.
    std::string word;
    for (const DrawnText& t : drawn_text())
      if (t.window.find("handle") != std::string::npos) word += t.text;
    std::erase(word, ' ');
    EXPECT_EQ(word, "Panels");
    const double x = layout.handle.x + 0.5 * layout.handle.width, y = layout.handle.y + 0.5 * layout.handle.height;
    click(layout, x, y);
    EXPECT_TRUE(is_drawn("Tool"));
    // The press does not reach the view below it.
    const std::size_t before = experiment_.log().size();
    InputEvent press = mouse_event(InputEvent::Kind::press, layout.column.x + 30, 0.5 * layout.column.height,
                                   InputEvent::Button::left);
    InputEvent release = press;
    release.kind = InputEvent::Kind::release;
    session_.handle({press, release}, layout, Session::Keyboard::free, panels_.feedback());
    EXPECT_EQ(experiment_.log().size(), before);
    click(layout, x, y);
    EXPECT_FALSE(is_drawn("Tool"));
    // By keyboard.
    const auto tap = [&](const char* key) {
      session_.handle({key_press(key)}, layout, Session::Keyboard::free, panels_.feedback());
      draw(layout, 2);
    };
    tap("F6");
    EXPECT_TRUE(is_drawn("Tool"));
    tap("Esc");
    EXPECT_FALSE(is_drawn("Tool"));
  }
}

TEST_F(UiReach, HelpListsKeysAndDescribesScene) {
  const Layout layout = make_layout(1600, 1400, 1, 1, true);
  session_.execute(CommandId::help);
  draw(layout, 3);
  EXPECT_TRUE(is_drawn("Keys and mouse"));
  EXPECT_TRUE(is_drawn("Play or pause"));
  const std::vector<DrawnText> texts = drawn_text();
  const auto page =
      std::find_if(texts.begin(), texts.end(), [](const DrawnText& t) { return t.text == "About this scene"; });
  ASSERT_NE(page, texts.end());
  click(layout, page->box.x + 5, page->box.y + 5);
  draw(layout, 2);
  EXPECT_FALSE(is_drawn("Play or pause"));
  const std::string all = drawn_lines("help");
  EXPECT_NE(all.find(experiment_.scene().title), std::string::npos) << all;
  EXPECT_NE(all.find(experiment_.info().tools.front().label), std::string::npos) << all;
  EXPECT_NE(all.find(experiment_.scene().hint.substr(0, 12)), std::string::npos) << all;
}

}  // namespace
}  // namespace perturb
