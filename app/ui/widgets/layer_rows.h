// Settings of the layer: a second quantity drawn over the image, as contour lines or in colours.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// Draws the rows under their own heading; if the displayed quantity cannot have a layer, a text gives the reason.
void draw_layer_rows(const Panel& panel);

}  // namespace perturb
