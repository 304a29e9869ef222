// Titles of the lanes of a race, over the view.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// At the top of each lane: its number, how it differs, and its time per step.
void draw_lane_titles(const Panel& panel);
// From the top of the view to the lower edge of the titles; 0 without lanes.
double lane_titles_height(const Panel& panel);

}  // namespace perturb
