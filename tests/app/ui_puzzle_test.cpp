// The card of the puzzles, laid out by ImGui without a screen.
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/puzzles.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"

namespace perturb {
namespace {

class UiPuzzle : public testing::Test {
 protected:
  static Scene tank() {
    Scene s = load_scene("wave/droplet");
    s.setup.width = s.setup.height = 64;
    return s;
  }
  void SetUp() override {
    session_.execute(ShowTab{Tab::kernels});
    draw(), draw();
  }
  void draw() {
    session_.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
    session_.observe(true);
    gui_.begin_frame(layout_, 1.0 / 60);
    panels_.draw(session_, gui_.style(), layout_, {"host-mapped", ""});
    gui_.end_frame();
    session_.end_frame(1.0 / 60, 0.004);
  }
  void enable() {
    Preferences preferences = session_.interface().preferences;
    preferences.edit_kernels = true;
    session_.execute(ChangePreferences{preferences});
    draw(), draw();
  }
  bool shows(const std::string& part) const { return !find_drawn_text(part).text.empty(); }
  void click(const std::string& text) {
    const DrawnText drawn = find_drawn_text(text);
    ASSERT_FALSE(drawn.text.empty()) << text;
    click_on(drawn, [this] { draw(); });
  }
  void open() {
    enable();
    click("Open the puzzles");
  }
  void check(const std::string& puzzle, const std::string& text) {
    session_.execute(CheckPuzzle{puzzle, text});
    while (session_.puzzles().is_checking()) {
      draw();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    draw(), draw();
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 2};
  Layout layout_ = make_layout(1600, 2200, 1, 1, true);
};

TEST_F(UiPuzzle, IsOffUntilTheUserEnablesIt) {
  EXPECT_FALSE(shows("Open the puzzles"));
  session_.execute(CheckPuzzle{"index", find_puzzle("index").solution});
  EXPECT_FALSE(session_.puzzles().is_checking());
  EXPECT_TRUE(session_.message().is_error);
  enable();
  EXPECT_TRUE(shows("Open the puzzles"));
}

TEST_F(UiPuzzle, ShowsTaskTextAndHintsOneByOne) {
  open();
  const Puzzle& first = all_puzzles().front();
  EXPECT_TRUE(shows("1 of " + std::to_string(all_puzzles().size()) + ": " + first.title));
  EXPECT_TRUE(shows("void kernel(float* after"));
  EXPECT_EQ(panels_.states().puzzle_card.field.text, first.start);
  EXPECT_FALSE(shows("Hint 1"));
  click("Hint");
  EXPECT_TRUE(shows("Hint 1: "));
  EXPECT_FALSE(shows("Hint 2: "));
}

TEST_F(UiPuzzle, KeepsTheTextOfEachPuzzle) {
  open();
  click("Next");
  EXPECT_TRUE(shows("2 of "));
  EXPECT_EQ(panels_.states().puzzle_card.field.text, all_puzzles()[1].start);
  click("Previous");
  EXPECT_EQ(panels_.states().puzzle_card.field.text, all_puzzles()[0].start);
}

TEST_F(UiPuzzle, ShowsComplaintsErrorsAndTheScore) {
  open();
  const Puzzle& first = all_puzzles().front();
  check(first.id, first.wrong);
  EXPECT_TRUE(shows(first.complaint));
  check(first.id, "nonsense;");
  EXPECT_TRUE(shows("Line 1"));
  check(first.id, first.solution);
  EXPECT_TRUE(shows("Solved"));
  EXPECT_TRUE(shows("Bytes per cell and step: 8"));
  EXPECT_TRUE(shows("(solved)"));
}

TEST_F(UiPuzzle, ButtonChecksTheText) {
  open();
  click("Check text");
  EXPECT_EQ(session_.puzzles().puzzle(), all_puzzles().front().id);
}

}  // namespace
}  // namespace perturb
