// The drawer: the column of panels in a window too narrow to show it next to the view. A handle opens it over the view.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// Whether the column is visible: next to the view, or in the open drawer.
bool column_is_shown(const Panel& panel);
// Draws the strip at the right edge of the window that opens and closes the drawer; it does not move. Call if the
// layout has a drawer.
void draw_drawer_handle(const Panel& panel);
// The visible part of the view: all of it, except under an open drawer.
Rect visible_view_rect(const Panel& panel);
// That of the first lane of a race, in which objects, instruments and theory are drawn; without lanes, of the view.
Rect visible_first_lane_rect(const Panel& panel);

}  // namespace perturb
