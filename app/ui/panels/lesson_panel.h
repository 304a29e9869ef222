// The open lesson in the column: text and question of the step, and the parameters that the student may change.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// The tab "Lesson". Call while a lesson is open.
void draw_lesson_panel(const Panel& panel, LessonPanelState& state);
// All lessons with the score of each; a click starts one.
void draw_lesson_list(const Panel& panel);

}  // namespace perturb
