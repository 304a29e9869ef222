// A lesson in a real window, taken with pointer and keyboard.
#include <fstream>
#include <iterator>

#include "app/lessons/lesson_library.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "app/ui/widgets/style.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/real_window.h"

namespace perturb {
namespace {

class WindowLesson : public RealWindow {
 protected:
  // Position of a text of the step, in a window of the same size; `answered`: after its question has been answered.
  Rect position_of(const std::string& text, std::size_t step, const std::string& answer = "") const {
    const std::shared_ptr<const Lesson> lesson = load_lesson("wave/moving-source");
    const auto backend = Backend::make_cpu(1);
    Experiment experiment(*backend, lesson->steps.at(step).scene);
    Session session(experiment, 1);
    session.observe(true);
    LessonSession run(lesson);
    run.go_to(step);
    run.begin_step(0);
    if (!answer.empty()) {
      run.submit_number(answer);
      EXPECT_TRUE(run.update(session.run(), session.diagnostics_poller().latest()));
    }
    session.lessons().show(run);
    Gui gui(Gui::Renderer::none);
    Panels panels;
    lay_out(session, gui, panels, layout_, 3);
    for (const DrawnText& drawn : drawn_text())
      if (drawn.text.starts_with(text)) return drawn.box;
    ADD_FAILURE() << text << " does not stand in step " << step + 1;
    return {};
  }
  std::string progress() const {
    std::ifstream file(folder_ / "state/perturb/lessons.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool reaches(const std::string& words) {
    return eventually([&] { return progress().find(words) != std::string::npos || program_->ended(); });
  }
  void type(const std::string& text) { ASSERT_EQ(xdotool({"type", text}), 0) << output(); }
};

TEST_F(WindowLesson, AnswersQuestionsAndSavesScore) {
  start_command({"lesson", "wave/moving-source"}, 1280, 720);
  ASSERT_TRUE(reaches("wave/moving-source")) << output();
  const std::vector<std::uint8_t> before = capture_window();

  // The first question: the field is to the left of its button.
  const Rect button = position_of("Answer", 0);
  move_to(button.x - 80, button.y + button.height / 2);
  click(1);
  const std::shared_ptr<const Lesson> lesson = load_lesson("wave/moving-source");
  const Action source = lesson->steps.at(0).scene.setup.actions.at(0);
  const double metres = lesson->steps.at(0).question->shown.factor;
  const std::string at_rest = std::to_string(metres / source.get("frequency"));
  type(at_rest);
  key("Return");
  EXPECT_TRUE(reaches("\"now\": 2")) << progress();
  // Next is a click below the score.
  const Rect next = position_of("Next", 0, at_rest);
  move_to(next.x + next.width / 2, next.y + next.height / 2);
  wait_for_frame();
  const std::vector<std::uint8_t> after = capture_window();
  if (!before.empty() && before.size() == after.size()) {
    EXPECT_NE(before, after) << "the score is seen";
  }
  click(1);
  EXPECT_TRUE(reaches("\"step\": 1")) << progress();

  // The second one is measured: the score appears when the run has reached that step.
  const Rect second = position_of("Answer", 1);
  move_to(second.x - 80, second.y + second.height / 2);
  click(1);
  type(std::to_string(metres * (1 - source.get("vx")) / source.get("frequency")));
  key("Return");
  EXPECT_TRUE(reaches("\"now\": 4")) << progress();
  key("Prior");  // X's names for Page Up and Page Down
  EXPECT_TRUE(reaches("\"step\": 0")) << progress();
  key("Next");
  EXPECT_TRUE(reaches("\"step\": 1")) << progress();
  key("Next");
  EXPECT_TRUE(reaches("\"step\": 2")) << progress();

  // A choice: the last answer, and all points.
  const Rect choice = position_of("Longer than at rest", 2);
  move_to(choice.x + 20, choice.y + choice.height / 2);
  wait_for_frame();
  click(1);
  EXPECT_TRUE(reaches("\"points\": 6")) << progress();
  EXPECT_TRUE(reaches("\"of\": 6")) << progress();
  quit();
}

// The focus ring disappears with its item. It used to stay at the old position, and Dear ImGui's own Page Down made it
// as large as the tab.
TEST_F(WindowLesson, PageKeysLeaveNoFocusRing) {
  start_command({"lesson", "wave/moving-source"}, 1280, 720);
  ASSERT_TRUE(reaches("wave/moving-source")) << output();
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  const auto bright = [this] {
    wait_for_typing();
    const std::vector<std::uint8_t> window = capture_window();
    const auto of = [](int shift) { return static_cast<std::uint8_t>(color::accent_bright >> shift); };
    int count = 0;
    for (std::size_t k = 0; k + 2 < window.size(); k += 3)
      count += window[k] == of(IM_COL32_R_SHIFT) && window[k + 1] == of(IM_COL32_G_SHIFT) &&
               window[k + 2] == of(IM_COL32_B_SHIFT);
    return count;
  };
  key("Next");
  key("Next");
  EXPECT_TRUE(reaches("\"step\": 2")) << progress();
  key("F6");
  // Past the menu of scenes, its two arrows and five tabs to a choice, which is as wide as the tab.
  int ring = 0;
  for (int k = 0; k < 14 && ring < 250; ++k) {
    key("Tab");
    ring = bright();
  }
  ASSERT_GE(ring, 250) << "the ring around a choice";
  key("Prior");
  EXPECT_TRUE(reaches("\"step\": 1")) << progress();
  EXPECT_LT(bright(), 100) << "the choice is gone";
  quit();
}

}  // namespace
}  // namespace perturb
