// Plots of the same units drawn in one frame.
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
  bool over_time = false;  // scalars over time
  bool is_trace = false;   // the x axis is the time: of scalars, and of curves of a probe
  bool is_probe = false;   // a trace of a probe: opens with its newest part
  bool shown = false;      // in the dock
  std::string y_unit{};
  Message x_name{};  // of the horizontal axis without its unit; empty: only its label is known
  std::string x_unit{};
  std::string units{};               // of both axes: equal for plots that may share a frame
  std::vector<PlotData> overlays{};  // plots that can be drawn over it, or are; their own `overlays` are empty
};

// The label of an axis with lines of several quantities: their unit, or a note that there is none.
Message axis_label_of(const std::string& unit);

// `over`: for the id of a plot, the ids of the plots drawn over it. These become lines of that plot with their own
// colours, and do not appear elsewhere.
std::vector<PlotData> overlay_plots(std::vector<PlotData> plots,
                                    const std::map<std::string, std::vector<std::string>>& over);

// Draws a button with the list of plots that can be drawn over this one; its upper right corner is at `at`. Returns its
// width: 0 if there are none.
float draw_overlay_button(const Panel& panel, const PlotData& plot, ImVec2 at);

}  // namespace perturb
