// A colormap as a strip, and as a bar with numbers.
#pragma once

#include <string>

#include "app/ui/panels/panel.h"
#include "app/ui/widgets/floating_box.h"

namespace perturb {

// The colours from left to right (`vertical`: from bottom to top).
void draw_color_strip(ImDrawList* list, const std::string& colormap, ImVec2 minimum, ImVec2 maximum, bool vertical);
// In the panel: a horizontal bar with numbers below.
void draw_color_bar(const Panel& panel);
// Over the view, in its lower right corner by default; shorter if the view is low.
void draw_floating_color_bar(const Panel& panel, FloatingBox& state);
// Area of the floating bar, which other overlays must not cover; empty if it is not shown.
Rect floating_color_bar_rect(const Panel& panel);

}  // namespace perturb
