// A bubble over the view: the last action is visible in another quantity than the displayed one. A button switches to
// it.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_quantity_suggestion(const Panel& panel);

}  // namespace perturb
