// Where the time of the last frames went, in the tab "Kernels".
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// The switch, the strip of the last seconds, and a table of the frame under the pointer, or of the mean.
void draw_frame_times(const Panel& panel);

}  // namespace perturb
