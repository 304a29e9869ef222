// The dock below the view with the plots that are switched on.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// Draws the dock over Layout::dock. The wheel zooms a plot about the pointer, over an axis only that axis; a drag pans;
// a double click, or Enter, shows all of it again. A line at the pointer names the values there. The upper edge resizes
// the dock. With keyboard focus on a plot, arrows pan and zoom the x axis. Call if the layout has a dock.
void draw_plot_dock(const Panel& panel, PlotDockState& state);

}  // namespace perturb
