// An empty plot in which the student draws the expected curve.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "app/ui/panels/panel.h"

namespace perturb {

struct SketchState {
  // A drawn answer: heights as fractions of the axis, from left to right; below 0: not drawn yet.
  std::vector<float> sketch;
  // For drawing by keys, fractions of the pad from its lower left corner; none: not active.
  std::optional<std::pair<float, float>> pen;
};

// Over the available width: axes with their names; a drag draws, and replaces what was there. Below it the button that
// submits the answer. The caller shows why an answer was rejected.
void draw_sketch_pad(const Panel& panel, SketchState& state, const LessonQuestion& question, bool waits);
// The measured curve together with the sketch.
void draw_sketch_and_curve(const Style& style, const LessonQuestion& question, const LessonSession::Answer& answer);

}  // namespace perturb
