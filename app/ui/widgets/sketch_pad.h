// An empty plot in which the student draws the expected curve.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// Over the available width: axes with their names; a drag draws, and replaces what was there. Below it the button that
// submits the answer. The caller shows why an answer was refused.
void draw_sketch_pad(const Panel& panel, LessonPanelState& state, const LessonQuestion& question, bool waits);
// The measured curve together with the sketch.
void draw_sketch_and_curve(const Style& style, const LessonQuestion& question, const LessonSession::Answer& answer);

}  // namespace perturb
