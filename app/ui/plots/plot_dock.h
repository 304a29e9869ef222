// The dock below the view with the plots that are switched on.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/ui/panels/panel.h"
#include "app/ui/plots/overlay_plots.h"

namespace perturb {

// Zoom and cursor of the plots in the dock.
struct PlotDockState {
  struct Zoom {
    std::optional<PlotRange> x, y;  // none: automatic
  };
  // The newest part of the plots over time: a number of periods, or else a duration; both 0: all that is kept.
  // Automatic: some periods of a probe, or else its last samples, and all of the others.
  struct Newest {
    int periods = 0;
    double duration = 0;
    bool automatic = false;
    bool operator==(const Newest&) const = default;
  };
  int scene = 0;                     // Session::scenes() to which the rest belongs
  DisplayUnits units;                // in which the ranges are stored
  std::map<std::string, Zoom> zoom;  // by the id of a plot
  Newest newest{.automatic = true};
  bool is_over_plot = false;  // in the last pass: the wheel zooms, and does not scroll
  double resize_from = 0;     // design pixels: height at the start of a drag of the upper edge
};

// Duration of the newest part that a plot over time shows; 0: all of it. `period`: that of another shown plot, for one
// that has none.
double newest_length(const PlotDockState::Newest& newest, const PlotData& plot, std::optional<double> period);

// Draws the dock over Layout::dock. The wheel zooms a plot about the pointer, over an axis only that axis; a drag pans;
// a double click, or Enter, shows all of it again. A line at the pointer names the values there. The upper edge resizes
// the dock. With keyboard focus on a plot, arrows pan and zoom the x axis. Call if the layout has a dock.
void draw_plot_dock(const Panel& panel, PlotDockState& state);

}  // namespace perturb
