// Curves with axes, ticks, units and legends.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panels/panels.h"

namespace perturb {

struct PlotLine {
  std::string label;
  const std::vector<CurvePoint>* points = nullptr;
  ImU32 ink = color::accent;
  bool dashed = false;              // theory
  const Curve* error_of = nullptr;  // its label ends with how far that curve lies from its theory
};

struct PlotFrame {
  std::string title;             // stands above
  std::string x_label, y_label;  // the axes' names, with their units
  // The points are then logarithms (base 10) already, and the numbers at the axis powers of ten.
  bool logarithmic_x = false, logarithmic_y = false;
  // The first moments of a run may reach further than all that follows: then its range is that of the rest.
  bool has_transient = false;
  float title_margin = 0;  // for what stands at its right end
  bool marks = false;      // a dot at each point of a line that is not dashed, a ring at one that is a point alone
};

// Lines of one plot are told apart by hue and lightness both.
ImU32 plot_ink(std::size_t line);

// One plot over the width there is; `height` of the axes.
void draw_plot(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines, float height);

// A curve as a plot of its own, with its theory and how far that is from what was measured.
void draw_curve(const Style& style, const Curve& curve, float height);

// Those that have been taken out of the panel, each in a window that can be moved and made larger.
void draw_detached_plots(const Panel& panel);

// Instruments; the simulation's own curves with their theory, and the scalars over time, those of one unit together. A
// double click, or Enter, takes one out of the panel.
void draw_plots_panel(const Panel& panel);

}  // namespace perturb
