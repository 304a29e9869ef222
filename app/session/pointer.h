// Maps the pointer from window coordinates to pixels of the view and fractions of the domain. Pure functions.
#pragma once

#include <cmath>

#include "app/run/pointer_segment.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/ground_view.h"
#include "cuda/core/paint/picture.h"

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

}  // namespace perturb
