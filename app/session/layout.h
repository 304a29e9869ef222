// Layout of the window. Pure: no ImGui, so that the mapping of the pointer can be tested without a window.
#pragma once

#include "app/session/pointer.h"

namespace perturb {

// In screen coordinates from the top left corner of the window.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(double px, double py) const { return px >= x && py >= y && px < x + width && py < y + height; }
};

// The view fills the window; the column of panels is at the right, the transport bar below the view, the status line at
// the bottom. If view and column do not fit next to each other, the column becomes a drawer: a handle takes its place
// and opens it over the view. Text is scaled down if the window is too small for the requested scale.
struct Layout {
  double width = 0, height = 0;      // of the window, screen coordinates
  double pixels_per_coordinate = 1;  // framebuffer pixels per screen coordinate
  double unit = 1;                   // screen coordinates per design pixel: the text's scale
  Rect view_rect, column, transport, status;
  Rect handle;  // of the drawer; empty if the column is next to the view
  bool has_column = false, has_bars = false;
  bool is_drawer = false;  // `column` is then the area of the open drawer

  // The view in framebuffer pixels.
  Viewport viewport() const;
  PointerFrame pointer_frame() const;
};

// `scale`: pixels per design pixel (a monitor's content scale, or the user's setting).
Layout make_layout(int framebuffer_width, int framebuffer_height, double pixels_per_coordinate, double scale,
                   bool panels);

}  // namespace perturb
