// The lines of a plot in pixels, with as few vertices as possible.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/ui/plots/plots.h"

namespace perturb {

// Maps axis values to positions on the screen.
struct PlotScale {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  // range of the axes
  ImVec2 from, to;                        // top left and bottom right corner of the frame
  ImVec2 place(double x, double y) const;
};

// A column of pixels in which a curve goes up and down: a line would fold there and be drawn as stripes.
struct PlotBar {
  float x = 0, top = 0, bottom = 0;
};

struct PlotOnScreen {
  std::vector<std::vector<ImVec2>> pieces;
  std::vector<PlotBar> bars;
};

// Splits a curve at values that are not finite into pieces without gaps, and into bars between adjoining pieces.
// Removes each vertex that lies within a quarter of a pixel of the line without it. Where a curve reverses, a piece
// ends and the next one begins.
PlotOnScreen plot_on_screen(const std::vector<CurvePoint>& points, const PlotScale& scale);

// Draws the curve, dashed if it is theory.
void draw_plot_line(const Style& style, const PlotLine& line, const PlotScale& scale, bool marks);

}  // namespace perturb
