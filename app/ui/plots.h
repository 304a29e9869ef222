// Curves with axes, ticks, units and legends.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panels.h"

namespace perturb {

struct PlotLine {
  std::string label;
  const std::vector<CurvePoint>* points = nullptr;
  ImU32 ink = color::accent;
  bool dashed = false;  // theory
};

// One plot over the width there is.
void draw_plot(const Style& style, const std::string& title, const std::string& x_label, const std::string& y_unit,
               const std::vector<PlotLine>& lines, float height);

// The scalars over time, those of one unit together, and the simulation's own curves with their theory.
void draw_plots_panel(const Panel& panel);

}  // namespace perturb
