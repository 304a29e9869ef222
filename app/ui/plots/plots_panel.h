// The tab "Plots".
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// Instruments, a switch for each plot, and the current numbers.
void draw_plots_panel(const Panel& panel);

}  // namespace perturb
