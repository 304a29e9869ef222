// A lesson in the column: what a step says and asks, and the parameters that it leaves to the student.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// The tab "Lesson". Call while a lesson is open.
void draw_lesson_panel(const Panel& panel);
// All lessons, with what was reached in each: a click begins one.
void draw_lesson_list(const Panel& panel);

}  // namespace perturb
