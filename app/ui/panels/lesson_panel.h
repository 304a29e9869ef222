// The open lesson in the column: text and question of the step, and the parameters that the student may change.
#pragma once

#include <array>

#include "app/ui/panels/panel.h"
#include "app/ui/widgets/sketch_pad.h"

namespace perturb {

struct LessonPanelState : SketchState {
  int visit = 0;                   // LessonController::visits() to which the rest belongs, except the student
  bool second_try = false;         // the first try was wrong
  int rejections = 0;              // LessonController::rejections() handled so far
  char answer[64] = "";            // while being typed
  std::array<char, 64> student{};  // name on the result sheet; kept until the program ends
};

// The tab "Lesson". Call while a lesson is open.
void draw_lesson_panel(const Panel& panel, LessonPanelState& state);
// All lessons with the score of each; a click starts one.
void draw_lesson_list(const Panel& panel);

}  // namespace perturb
