// What has just happened, in a box at the foot of the picture.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// A failure looks like one, and can be dismissed; a file that was written has its folder at hand.
void draw_message(const Panel& panel);

}  // namespace perturb
