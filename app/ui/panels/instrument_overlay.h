// The instruments drawn over the view: lines, handles and readings.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_instruments(const Panel& panel);

}  // namespace perturb
