// Layout of the window, and the mapping between its coordinates, the pixels of the view and the domain. Pure: no ImGui,
// so that it can be tested without a window.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/race/lane.h"
#include "app/run/pointer_segment.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// The window in pointer coordinates.
struct PointerFrame {
  double pixels_per_coordinate = 1;  // framebuffer pixels per screen coordinate
  int framebuffer_height = 1;        // pixels
  Viewport viewport;
};

// A point of the view in pixels from its lower left corner.
struct PicturePoint {
  double x, y;
};

// Screen coordinates start at the top left corner of the window and denote the pixel under the pointer. The point is
// the centre of that pixel, so a click hits exactly the cell whose colour the pixel shows.
inline PicturePoint picture_point(double screen_x, double screen_y, const PointerFrame& frame) {
  const double column = std::floor(screen_x * frame.pixels_per_coordinate) + 0.5;
  const double row_from_top = std::floor(screen_y * frame.pixels_per_coordinate) + 0.5;
  return {column - frame.viewport.x, frame.framebuffer_height - row_from_top - frame.viewport.y};
}

inline bool is_inside(const PicturePoint& p, const Viewport& viewport) {
  return p.x >= 0 && p.y >= 0 && p.x < viewport.width && p.y < viewport.height;
}

// Position under the pointer in fractions of the domain; outside the domain it leaves [0, 1]. `has_depth`: the domain
// is the ground of a relief, and the position on the ground is returned.
inline Camera::Point pointer_to_domain(double screen_x, double screen_y, const PointerFrame& frame,
                                       const Camera& camera, double domain_width, double domain_height,
                                       bool has_depth = false) {
  const PicturePoint p = picture_point(screen_x, screen_y, frame);
  const Camera::Point at =
      camera.to_domain(p.x, p.y, frame.viewport.width, frame.viewport.height, domain_width, domain_height);
  return has_depth ? GroundView(camera, domain_width, domain_height).to_ground(at) : at;
}

// Screen coordinates of a position in the domain, from the top left corner of the window.
inline Camera::Point domain_to_screen(const Camera::Point& place, const PointerFrame& frame, const Camera& camera,
                                      double domain_width, double domain_height, bool has_depth = false) {
  const Camera::Point at = has_depth ? GroundView(camera, domain_width, domain_height).to_picture(place) : place;
  const Camera::Point p =
      camera.to_pixel(at.x, at.y, frame.viewport.width, frame.viewport.height, domain_width, domain_height);
  return {(p.x + frame.viewport.x) / frame.pixels_per_coordinate,
          (frame.framebuffer_height - frame.viewport.y - p.y) / frame.pixels_per_coordinate};
}

// The part of a view that shows the domain with its walls, which painters draw two pixels thick around it; its width or
// height is 0 if the domain is outside of the view. For views without depth.
Viewport domain_viewport(const Viewport& view, const Camera& camera, double domain_width, double domain_height);

// In screen coordinates from the top left corner of the window.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(double px, double py) const { return px >= x && py >= y && px < x + width && py < y + height; }
};

// The view fills the window; the column of panels is at the right, the transport bar below the view, the status line at
// the bottom. An open plot dock is between view and transport bar. If view and column do not fit next to each other,
// the column becomes a drawer: a handle takes its place and opens it over the view. Text is scaled down if the window
// is too small for the requested scale.
struct Layout {
  double width = 0, height = 0;      // of the window, screen coordinates
  double pixels_per_coordinate = 1;  // framebuffer pixels per screen coordinate
  double unit = 1;                   // screen coordinates per design pixel: the text's scale
  Rect view_rect, column, transport, status;
  Rect handle;  // of the drawer; empty if the column is next to the view
  Rect dock;    // of the plots; empty if it is closed, or the window is too low for it
  bool has_column = false, has_bars = false;
  bool is_drawer = false;  // `column` is then the area of the open drawer
  std::size_t lanes = 0;   // of a race: they share the view (app/race/lane.h); 0: a single simulation

  bool has_dock() const { return dock.height > 0; }
  // The view in framebuffer pixels.
  Viewport viewport() const;
  // The part of it that shows this lane of a race; without lanes, all of it.
  Viewport lane_viewport(std::size_t lane = 0) const;
  // The same in screen coordinates.
  Rect lane_rect(std::size_t lane = 0) const;
  // The lane under a point of the window; the first outside all others.
  std::size_t lane_at(double x, double y) const;
  // The point's counterpart in the first lane, where positions are read.
  Camera::Point in_first_lane(double x, double y, std::size_t lane) const;
  // Of the first lane.
  PointerFrame pointer_frame() const;
};

// `scale`: pixels per design pixel (a monitor's content scale, or the user's setting). `dock`: requested height of the
// plot dock in design pixels; 0: closed. The view keeps its smallest height.
Layout make_layout(int framebuffer_width, int framebuffer_height, double pixels_per_coordinate, double scale,
                   bool panels, double dock = 0);

// Areas of the window that panels cover: clicks there belong to the panels, which add their areas while they are drawn,
// for the clicks of the next frame.
class PanelAreas {
 public:
  void begin() {
    areas_.clear();
    everything_ = false;
  }
  void add(const Rect& rect) { areas_.push_back(rect); }
  void add_everything() { everything_ = true; }
  bool contains(double x, double y) const {
    return everything_ ||
           std::any_of(areas_.begin(), areas_.end(), [&](const Rect& rect) { return rect.contains(x, y); });
  }

 private:
  std::vector<Rect> areas_;
  bool everything_ = false;
};

}  // namespace perturb
