// The card of the puzzles, laid out by ImGui without a screen.
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/puzzles.h"
#include "tests/support/drawn_panels.h"

namespace perturb {
namespace {

class UiPuzzle : public testing::Test, protected DrawnPanels {
 protected:
  UiPuzzle() : DrawnPanels(make_layout(1600, 2200, 1, 1, true)) {}
  static Scene tank() {
    Scene s = load_scene("wave/droplet");
    s.setup.width = s.setup.height = 64;
    return s;
  }
  void SetUp() override {
    open(tank());
    session_->execute(ShowTab{Tab::kernels});
    frame(), frame();
  }
  void open_puzzles() {
    enable_editing();
    click("Open the puzzles");
  }
  void check(const std::string& puzzle, const std::string& text) {
    session_->execute(CheckPuzzle{puzzle, text});
    while (session_->puzzles().is_checking()) {
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    frame(), frame();
  }
};

TEST_F(UiPuzzle, IsOffUntilTheUserEnablesIt) {
  EXPECT_FALSE(shows("Open the puzzles"));
  session_->execute(CheckPuzzle{"index", find_puzzle("index").solution});
  EXPECT_FALSE(session_->puzzles().is_checking());
  EXPECT_TRUE(session_->message().is_error);
  enable_editing();
  EXPECT_TRUE(shows("Open the puzzles"));
}

TEST_F(UiPuzzle, ShowsTaskTextAndHintsOneByOne) {
  open_puzzles();
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
  open_puzzles();
  click("Next");
  EXPECT_TRUE(shows("2 of "));
  EXPECT_EQ(panels_.states().puzzle_card.field.text, all_puzzles()[1].start);
  click("Previous");
  EXPECT_EQ(panels_.states().puzzle_card.field.text, all_puzzles()[0].start);
}

TEST_F(UiPuzzle, ShowsComplaintsErrorsAndTheScore) {
  open_puzzles();
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
  open_puzzles();
  click("Check text");
  EXPECT_EQ(session_->puzzles().puzzle(), all_puzzles().front().id);
}

}  // namespace
}  // namespace perturb
