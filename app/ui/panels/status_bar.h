// The line at the very bottom: what runs where, how fast, and what lies under the pointer.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_status_bar(const Panel& panel);

}  // namespace perturb
