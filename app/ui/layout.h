// Where everything is. Pure: no ImGui, so that the pointer's mapping can be tested without a window.
#pragma once

#include "app/ui/pointer.h"

namespace perturb {

// In screen coordinates from the window's upper left corner.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(double px, double py) const { return px >= x && py >= y && px < x + width && py < y + height; }
};

// The picture fills the window; the column of panels is at the right, the transport bar below the picture, the status line
// at the very bottom. Where the window has no room for the column, it is left out before the picture gets too narrow.
struct Layout {
  double width = 0, height = 0;      // of the window, screen coordinates
  double pixels_per_coordinate = 1;  // framebuffer pixels per screen coordinate
  double unit = 1;                   // screen coordinates per design pixel: the text's scale
  Rect picture, column, transport, status;
  bool has_column = false, has_bars = false;

  // The picture in framebuffer pixels.
  Viewport viewport() const;
  PointerFrame pointer_frame() const;
};

// `scale`: pixels per design pixel (a monitor's content scale, or what the user asked for).
Layout make_layout(int framebuffer_width, int framebuffer_height, double pixels_per_coordinate, double scale,
                   bool panels);

}  // namespace perturb
