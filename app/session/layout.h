// Where everything is. Pure: no ImGui, so that the pointer's mapping can be tested without a window.
#pragma once

#include "app/session/pointer.h"

namespace perturb {

// In screen coordinates from the window's upper left corner.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(double px, double py) const { return px >= x && py >= y && px < x + width && py < y + height; }
};

// The picture fills the window; the column of panels is at the right, the transport bar below the picture, the status
// line at the very bottom. Where column and picture have no room beside each other, the column is a drawer: a handle
// stands in its place, and opens it over the picture. Letters grow as large as a window of this size can hold them, and
// no larger.
struct Layout {
  double width = 0, height = 0;      // of the window, screen coordinates
  double pixels_per_coordinate = 1;  // framebuffer pixels per screen coordinate
  double unit = 1;                   // screen coordinates per design pixel: the text's scale
  Rect view_rect, column, transport, status;
  Rect handle;  // of the drawer; empty where the column stands beside the picture
  bool has_column = false, has_bars = false;
  bool is_drawer = false;  // `column` is where the drawer lies while it is open

  // The picture in framebuffer pixels.
  Viewport viewport() const;
  PointerFrame pointer_frame() const;
};

// `scale`: pixels per design pixel (a monitor's content scale, or what the user asked for).
Layout make_layout(int framebuffer_width, int framebuffer_height, double pixels_per_coordinate, double scale,
                   bool panels);

}  // namespace perturb
