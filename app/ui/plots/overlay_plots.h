// Plots of the same units, one laid over the other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/ui/plots/plots.h"

namespace perturb {

struct PlotData {
  std::string id;
  PlotFrame frame;
  std::vector<PlotLine> lines;
  bool over_time = false;
  std::string y_unit{};
  std::string units{};               // those of both axes: of plots that may share one they are the same
  std::vector<PlotData> overlays{};  // that could lie over it, or do; without their own `over`
};

// `over`: by a plot's id those that lie over it. They are then lines of that plot, in inks of their own, and stand
// nowhere else.
std::vector<PlotData> overlay_plots(std::vector<PlotData> plots,
                                    const std::map<std::string, std::vector<std::string>>& over);

// At the right end of the place where a plot's title begins: a button with the list of what may lie over it; how much
// room it takes from the title. None where there is nothing to lay.
float draw_overlay_button(const Panel& panel, const PlotData& plot);

}  // namespace perturb
