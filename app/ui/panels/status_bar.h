// The status line at the bottom of the window: the offer to continue the last session's run, backend, speed, and the
// value under the pointer.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

void draw_status_bar(const Panel& panel);
// Whether the offer is there, where it covers nothing: it fits, and the last session did not crash.
bool is_offer_in_status_line(const Panel& panel);

}  // namespace perturb
