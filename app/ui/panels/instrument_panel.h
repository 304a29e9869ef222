// The instruments: their list in the panel, and their drawing over the view.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// The list: placing, reading, changing and removing them.
void draw_instrument_panel(const Panel& panel);

// Over the view: lines, handles and readings.
void draw_instruments(const Panel& panel);

}  // namespace perturb
