// Everything is accessible in a window of any size, with text of any size.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/app/screen_size.h"
#include "tests/support/drawn_text.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class UiReach : public testing::Test {
 protected:
  static Scene tank() {
    auto scene = load_scene("wave/droplet");
    scene.setup.width = scene.setup.height = 32;
    return scene;
  }
  void SetUp() override { session_.state().playing = false; }

  // Requests of the panels are only recorded, and carried out where the test does so.
  void draw(const Layout& layout, int frames = 1) {
    for (int i = 0; i < frames; ++i) {
      session_.handle({}, layout, Session::Keyboard::free);
      gui_.begin_frame(layout, 1.0 / 60);
      draw_panels({session_, gui_.style(), layout, {"host-mapped", ""}});
      list_is_open_ = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
      gui_.end_frame();
      for (const Request& request : session_.state().requests)
        if (const auto* command = std::get_if<UiCommand>(&request)) asked_.insert(*command);
      session_.state().requests.clear();
    }
  }
  void click(const Layout& layout, double x, double y) {
    for (const bool down : {false, false, true, false, false}) {
      ImGuiIO& io = ImGui::GetIO();
      io.MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
      io.MouseDown[0] = down;
      draw(layout);
    }
  }
  static bool is_drawn(const std::string& text) {
    const std::vector<DrawnText> texts = drawn_text();
    return std::any_of(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == text; });
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 1};
  Gui gui_{Gui::Renderer::none};
  std::set<UiCommand> asked_;
  bool list_is_open_ = false;
};

const ScreenSize reach_sizes[] = {{1280, 720, 1},  {1024, 768, 2},   {1920, 1080, 3.89}, {2560, 1440, 1},
                                  {3840, 2160, 2}, {1280, 720, 1.8}, {1280, 720, 1.5},   {640, 480, 3},
                                  {500, 300, 2},   {800, 600, 1.2}};

TEST_F(UiReach, ShowsEveryTransportButton) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  for (const ScreenSize& size : reach_sizes) {
    SCOPED_TRACE(words(size));
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
    asked_.clear();
    draw(layout, 3);
    const double y = layout.transport.y + 0.5 * layout.transport.height, step = 12 * layout.unit;
    for (double x = layout.transport.x + step; x < layout.transport.x + layout.transport.width; x += step) {
      click(layout, x, y);
      if (!list_is_open_) continue;
      // A list of text buttons: each is selected in turn.
      std::vector<Rect> entries;
      for (const DrawnText& t : drawn_text())
        if (t.window.find("Popup") != std::string::npos) entries.push_back(t.box);
      EXPECT_FALSE(entries.empty());
      for (const Rect& entry : entries) {
        if (!list_is_open_) click(layout, x, y);
        click(layout, entry.x + 0.5 * entry.width, entry.y + 0.5 * entry.height);
      }
      if (list_is_open_) click(layout, 3, 3);
    }
    for (const UiCommand command :
         {UiCommand::play_pause, UiCommand::single_step, UiCommand::restart, UiCommand::faster, UiCommand::slower,
          UiCommand::restart_keeping, UiCommand::about_scene, UiCommand::screenshot, UiCommand::save_state,
          UiCommand::open_file, UiCommand::fullscreen, UiCommand::help})
      EXPECT_TRUE(asked_.count(command)) << binding_of(command).action;
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
    InputEvent press;
    press.kind = InputEvent::Kind::press, press.button = InputEvent::Button::left;
    press.x = layout.column.x + 30, press.y = 0.5 * layout.column.height;
    InputEvent release = press;
    release.kind = InputEvent::Kind::release;
    session_.handle({press, release}, layout, Session::Keyboard::free);
    EXPECT_EQ(experiment_.log().size(), before);
    click(layout, x, y);
    EXPECT_FALSE(is_drawn("Tool"));
    // By keyboard.
    const auto tap = [&](const char* key) {
      InputEvent event;
      event.kind = InputEvent::Kind::key_press, event.key = key;
      session_.handle({event}, layout, Session::Keyboard::free);
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
  session_.state().overlay = Overlay::help;
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
  std::string all;
  for (const DrawnText& t : drawn_text())
    if (t.window.find("help") != std::string::npos) all += t.text + "\n";
  EXPECT_NE(all.find(experiment_.scene().title), std::string::npos) << all;
  EXPECT_NE(all.find(experiment_.info().tools.front().label), std::string::npos) << all;
  EXPECT_NE(all.find(experiment_.scene().hint.substr(0, 12)), std::string::npos) << all;
}

}  // namespace
}  // namespace perturb
