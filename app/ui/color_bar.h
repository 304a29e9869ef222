// A colormap as a strip, and as a numbered bar.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panels.h"

namespace perturb {

// Round numbers between `minimum` and `maximum`, at most `most` of them.
std::vector<double> nice_ticks(double minimum, double maximum, int most);
// A tick as text with the decimals that tell it from its neighbours.
std::string tick_text(double tick, double step);

// The colours from left to right (`vertical`: from bottom to top).
void draw_color_strip(ImDrawList* list, const std::string& colormap, ImVec2 minimum, ImVec2 maximum, bool vertical);
// In the panel: a horizontal bar with numbers below.
void draw_color_bar(const Panel& panel);
// Over the picture, in its lower right corner.
void draw_floating_color_bar(const Panel& panel);

}  // namespace perturb
