// The column of panels where the window has no room for it beside the picture: a handle that opens it over the picture.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// Whether the column is on the screen: beside the picture, or in the open drawer.
bool column_is_shown(const Panel& panel);
// The strip at the window's right edge that opens and closes the drawer; it stands still. Call where the layout has a
// drawer.
void draw_drawer_handle(const Panel& panel);
// What is seen of the picture: all of it, but for an open drawer.
Rect visible_view_rect(const Panel& panel);

}  // namespace perturb
