// Theory drawn over the view (Diagnostics::marks).
#pragma once

#include <vector>

#include "app/ui/panels/panel.h"

namespace perturb {

// Over the view, if it asks for theory: lines, arrows and points of theory and of measurements, each in its colour,
// with labels that do not overlap.
void draw_theory(const Panel& panel);

// Position of a label of this size near `at`, within `view` and clear of the `taken` rectangles; empty if there is no
// such position. Positions are tried in the order right, left, each below and above.
std::optional<Rect> label_position(double x, double y, double width, double height, double gap, const Rect& view,
                                   const std::vector<Rect>& taken);

}  // namespace perturb
