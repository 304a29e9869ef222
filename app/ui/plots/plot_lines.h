// The lines of a plot in pixels: with as few corners as show the same.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/ui/plots/plots.h"

namespace perturb {

// From an axis' values to places on the screen.
struct PlotScale {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  // what the frame reaches from and to
  ImVec2 from, to;                        // its upper left and its lower right corner
  ImVec2 place(double x, double y) const;
};

// A column of pixels in which a curve goes up and down: a line would fold there, and be drawn as stripes.
struct PlotBar {
  float x = 0, top = 0, bottom = 0;
};

struct PlotOnScreen {
  std::vector<std::vector<ImVec2>> pieces;
  std::vector<PlotBar> bars;
};

// A curve as pieces without gaps, which are where a value is not finite, and as bars between them, which meet. No
// corner is left that lies within a quarter of a pixel of the line that goes on without it. Where a curve turns back a
// piece ends and the next one begins.
PlotOnScreen plot_on_screen(const std::vector<CurvePoint>& points, const PlotScale& scale);

// Draws it, dashed where it is theory.
void draw_plot_line(const Style& style, const PlotLine& line, const PlotScale& scale, bool marks);

}  // namespace perturb
