// Curves with axes, ticks, units and legends.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/run/ticks.h"
#include "app/ui/panels/panel.h"
#include "app/ui/plots/plot_ranges.h"

namespace perturb {

struct PlotLine {
  Message label;
  const std::vector<CurvePoint>* points = nullptr;
  ImU32 ink = color::accent;
  bool dashed = false;                               // drawn dashed: theory, or a fit
  const Curve* error_of = nullptr;                   // the label ends with the deviation of that curve from its theory
  const std::vector<SampleGroup>* groups = nullptr;  // whose means are among the points: drawn as a band behind them
};

struct PlotFrame {
  Message title;             // drawn above the plot
  Message x_label, y_label;  // names of the axes with their units
  // The points are then already logarithms (base 10), and the numbers at the axis are powers of ten.
  bool logarithmic_x = false, logarithmic_y = false;
  // The transient of a run may have a larger range than the rest: the axes then show the range of the rest.
  bool has_transient = false;
  bool marks = false;  // a dot at each point of a solid line, a ring at a line with a single point
};

// The label of a line, with the deviation of its measured curve from it.
Message label_of(const PlotLine& line);

// Lines of one plot differ in both hue and lightness.
ImU32 plot_ink(std::size_t line);

// A plot over the available width; `height` of the axes.
void draw_plot(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines, float height);

// A curve as a separate plot, with its theory and the deviation of the measurement from it.
void draw_curve(const Style& style, const Curve& curve, float height);

// Maps axis values to positions on the screen.
struct PlotScale {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  // range of the axes
  ImVec2 from, to;                        // top left and bottom right corner of the frame
  ImVec2 place(double x, double y) const;
  // The values at a position.
  CurvePoint values_at(ImVec2 at) const;
};

// The ranges of the axes.
struct PlotAxes {
  PlotRange x, y;
  bool empty = false;  // there is no point to show
  Message note;        // about values outside the y axis
};
// Ranges that show all points; with `window`, those of that part of the x axis. `max_ticks`: ticks of the y axis, to
// which its range is widened.
PlotAxes automatic_axes(const PlotFrame& frame, const std::vector<PlotLine>& lines, int max_ticks = 4,
                        const std::optional<PlotRange>& window = std::nullopt);

// Axes with their ticks and titles.
struct PlotGrid {
  PlotAxes axes;
  Axis x, y;
  Message x_title, y_title;
  float margin = 0;  // width of the numbers at the y axis, screen coordinates
};
// With the font of the numbers. `max_x`, `max_y`: numbers of linear axes.
PlotGrid make_plot_grid(const Style& style, const PlotFrame& frame, const PlotAxes& axes, int max_x = 4, int max_y = 4);
// Draws the axes, their numbers, the title of the x axis and the lines. `from`: top left corner including the numbers;
// `height`: of the frame. Returns the position of the frame.
PlotScale draw_plot_grid(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines,
                         const PlotGrid& grid, ImVec2 from, float width, float height);
// A sample of each line with its name, as many per row as fit.
void draw_legend(const Style& style, const std::vector<PlotLine>& lines, float width);

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

// The band of these groups: a rectangle from the lowest to the highest value for each column of pixels.
std::vector<Rect> band_on_screen(const std::vector<SampleGroup>& groups, const PlotScale& scale);

// Draws the curve, dashed if it is theory, over its band.
void draw_plot_line(const Style& style, const PlotLine& line, const PlotScale& scale, bool marks);

}  // namespace perturb
