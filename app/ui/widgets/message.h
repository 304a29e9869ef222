// The last message, at the bottom of the view.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// An error has its own colour and a close button; a saved file has a button that opens its folder.
void draw_message(const Panel& panel);

}  // namespace perturb
