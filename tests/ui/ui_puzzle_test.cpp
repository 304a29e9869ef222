// The card of the puzzles, laid out by ImGui without a screen.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/io/preset/puzzles.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class UiPuzzle : public testing::Test, protected DrawnPanels {
 protected:
  UiPuzzle() : DrawnPanels(make_layout(1600, 2200, 1, 1, true)) {}
  static Scene tank() { return scene_of_width("wave/droplet", 64); }
  void SetUp() override {
    open(tank());
    session_->execute(ShowTab{Tab::kernels});
    frame();
    frame();
  }
  void open_puzzles() {
    enable_editing();
    click("Open the puzzles");
  }
  void show(const std::string& puzzle) {
    const std::size_t& shown = panels_.states().puzzle_card.index;
    for (std::size_t k = 0; k < all_puzzles().size() && all_puzzles()[shown].id != puzzle; ++k) click("Next");
    ASSERT_EQ(all_puzzles()[shown].id, puzzle);
  }
  void check(const std::string& puzzle, const std::string& text) {
    session_->execute(CheckPuzzle{puzzle, text});
    while (session_->puzzles().is_checking()) {
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    frame();
    frame();
  }
  // Corners of rectangles in the colour of faults.
  static int marked_corners() {
    int corners = 0;
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int k = 0; k < drawn.CmdListsCount; ++k)
      for (const ImDrawVert& corner : drawn.CmdLists[k]->VtxBuffer)
        if (corner.col == color::bad && corner.uv.x == white.x && corner.uv.y == white.y) ++corners;
    return corners;
  }
};

TEST_F(UiPuzzle, TakesTheKeysWhenItOpens) {
  open_puzzles();
  frame();
  frame();
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "else Ctrl+Enter would act on the view";
}

TEST_F(UiPuzzle, TakesTheKeysAfterEachButton) {
  open_puzzles();
  for (const char* button : {"Next", "Hint", "Previous"}) {
    click(button);
    frame();
    frame();
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << button;
  }
}

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

TEST_F(UiPuzzle, BringsBackTheTextThatItReplaced) {
  open_puzzles();
  type("//");
  const std::string& text = panels_.states().puzzle_card.field.text;
  const std::string own = text;
  ASSERT_NE(own, all_puzzles().front().start);
  click("Start text");
  EXPECT_EQ(text, all_puzzles().front().start);
  click("Your text");
  EXPECT_EQ(text, own);
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

TEST_F(UiPuzzle, ShowsAccessesOfTheLastCheckInPlaceOfTheTask) {
  open_puzzles();
  const Puzzle& first = all_puzzles().front();
  const auto offers_accesses = [] {
    const std::vector<DrawnText> texts = drawn_text();
    // A goal may name accesses too.
    return std::any_of(texts.begin(), texts.end(), [](const DrawnText& t) { return t.text == "Accesses"; });
  };
  EXPECT_FALSE(offers_accesses());
  check(first.id, first.solution);
  EXPECT_TRUE(offers_accesses());
  EXPECT_FALSE(shows("void kernel(float* after"));
  for (const char* text : {"now: input", "after: output", "Threads of block (0, 0)", "Thread (32, 0) of block (0, 0)",
                           "now: reads: 1; sectors of the whole warp: 4 (fewest possible: 4)",
                           "after: writes: 1; sectors of the whole warp: 4 (fewest possible: 4)"})
    EXPECT_TRUE(shows(text)) << text;
  EXPECT_EQ(marked_corners(), 0);
  click("Task");
  EXPECT_TRUE(shows("void kernel(float* after"));
  EXPECT_FALSE(shows("now: input"));
  click("Accesses");
  EXPECT_TRUE(shows("now: input"));
}

TEST_F(UiPuzzle, PointerShowsAThreadAndClickKeepsIt) {
  open_puzzles();
  show("index");
  check("index", find_puzzle("index").solution);
  const Rect title = find_drawn_text("Threads of block").box;
  const auto point = [&](double x, double y, bool down) {
    move_pointer(x, y, down);
    frame();
  };
  const double x = title.x + 60, y = title.y + title.height + 8;
  for (int k = 0; k < 2; ++k) point(x, y, false);
  EXPECT_FALSE(shows("Thread (0, 0) of block"));
  for (int k = 0; k < 2; ++k) point(0, 0, false);
  EXPECT_TRUE(shows("Thread (0, 0) of block"));
  for (const bool down : {false, true, false}) point(x, y, down);
  for (int k = 0; k < 2; ++k) point(0, 0, false);
  EXPECT_FALSE(shows("Thread (0, 0) of block"));
}

TEST_F(UiPuzzle, MarksWhatTheCheckFound) {
  open_puzzles();
  const Puzzle& first = all_puzzles().front();
  check(first.id, first.wrong);  // a race
  EXPECT_TRUE(shows("Found by the check"));
  EXPECT_TRUE(shows("The run ended in this block"));
  EXPECT_FALSE(shows("fewest possible")) << "the other threads of the warp had not run";
  EXPECT_GE(marked_corners(), 8);  // the cell, and the legend
}

TEST_F(UiPuzzle, AccessesPassTheTableOfTheLanguage) {
  open_puzzles();
  show("index");
  use_language("de");
  take_untranslated();
  const std::string tile =
      "__shared__ float tile[64];\nconst int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "tile[threadIdx.x] = now[i];\n";
  check("index", tile + "after[i] = 0.5f * tile[threadIdx.x];");
  EXPECT_TRUE(shows("tile: gemeinsamer Speicher"));
  check("index", tile + "after[256 + i] = 0;");
  EXPECT_TRUE(take_untranslated().empty());
  use_language("en");
}

TEST_F(UiPuzzle, ButtonChecksTheText) {
  open_puzzles();
  click("Check text");
  EXPECT_EQ(session_->puzzles().puzzle(), all_puzzles().front().id);
}

}  // namespace
}  // namespace perturb
