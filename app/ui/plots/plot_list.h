// All plots of the current scene, and which of them are shown in the dock.
#pragma once

#include <vector>

#include "app/ui/plots/overlay_plots.h"
#include "app/ui/plots/roofline_plot.h"
#include "app/ui/plots/size_plot.h"

namespace perturb {

struct PlotList {
  std::vector<Curve> curves;            // in displayed units; the plots point to their points
  std::vector<History::Series> series;  // scalars over time in displayed units; empty: those of the session
  RooflinePlot roofline;                // the full view only
  SizePlot sizes;                       // the same
  std::vector<PlotData> plots;  // of the kernels, of the instruments, of the curves, and of the scalars over time
};

// With the user's choice of overlays, and of the plots that are shown: without one, the plot of each instrument, or
// else the first plot. The result refers to the session, which must not change meanwhile.
PlotList current_plots(const Panel& panel);

}  // namespace perturb
