// Curves with axes, ticks, units and legends.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/panels/panel.h"

namespace perturb {

struct PlotLine {
  Message label;
  const std::vector<CurvePoint>* points = nullptr;
  ImU32 ink = color::accent;
  bool dashed = false;              // drawn dashed: theory
  const Curve* error_of = nullptr;  // the label ends with the deviation of that curve from its theory
};

struct PlotFrame {
  Message title;             // drawn above the plot
  Message x_label, y_label;  // names of the axes with their units
  // The points are then already logarithms (base 10), and the numbers at the axis are powers of ten.
  bool logarithmic_x = false, logarithmic_y = false;
  // The transient of a run may have a larger range than the rest: the axes then show the range of the rest.
  bool has_transient = false;
  float title_margin = 0;  // for controls at its right end
  bool marks = false;      // a dot at each point of a solid line, a ring at a line with a single point
};

// The label of a line, with the deviation of its measured curve from it.
Message label_of(const PlotLine& line);

// Lines of one plot differ in both hue and lightness.
ImU32 plot_ink(std::size_t line);

// A plot over the available width; `height` of the axes.
void draw_plot(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines, float height);

// A curve as a separate plot, with its theory and the deviation of the measurement from it.
void draw_curve(const Style& style, const Curve& curve, float height);

// Plots detached from the panel, each in its own window that can be moved and resized.
void draw_detached_plots(const Panel& panel);

// Instruments; the simulation's own curves with their theory; and the scalars over time, grouped by unit. A double
// click, or Enter, detaches one from the panel.
void draw_plots_panel(const Panel& panel);

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

// The lines of a plot in pixels, with as few vertices as possible.
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
