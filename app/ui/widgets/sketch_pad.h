// An empty plot into which somebody draws what he expects.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// Over the width there is: axes with their names; a drag draws, and draws over what was there. Below it the button that
// gives the answer.
void draw_sketch_pad(const Panel& panel, const LessonQuestion& question, bool waits);
// What was measured, and the sketch beside it.
void draw_sketch_and_curve(const Style& style, const LessonQuestion& question, const LessonSession::Answer& answer);

}  // namespace perturb
