// The choice of the kernel that computes the steps.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_kernel_panel(const Panel& panel);

}  // namespace perturb
