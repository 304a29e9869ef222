// Where the pointer is: from the window's coordinates to the picture's pixels and the domain's
// fractions. Pure functions.
#pragma once

#include <cmath>

#include "app/run/pointer_segment.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/ground_view.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// The window as the pointer's coordinates see it.
struct PointerFrame {
  double pixels_per_coordinate = 1;  // framebuffer pixels per screen coordinate
  int framebuffer_height = 1;        // pixels
  Viewport viewport;
};

// A point of the picture in pixels from its lower left corner.
struct PicturePoint {
  double x, y;
};

// Screen coordinates count from the window's upper left corner and name the pixel that the pointer is on, so the point
// meant is that pixel's centre: then a click lands in exactly the cell whose colour the pixel shows.
inline PicturePoint picture_point(double screen_x, double screen_y, const PointerFrame& frame) {
  const double column = std::floor(screen_x * frame.pixels_per_coordinate) + 0.5;
  const double row_from_top = std::floor(screen_y * frame.pixels_per_coordinate) + 0.5;
  return {column - frame.viewport.x, frame.framebuffer_height - row_from_top - frame.viewport.y};
}

inline bool is_inside(const PicturePoint& p, const Viewport& viewport) {
  return p.x >= 0 && p.y >= 0 && p.x < viewport.width && p.y < viewport.height;
}

// The domain's fractions under the pointer; outside the domain they leave [0, 1]. `has_depth`: the domain is the ground
// of what is shown, and the place on the ground counts.
inline Camera::Point pointer_to_domain(double screen_x, double screen_y, const PointerFrame& frame,
                                       const Camera& camera, double domain_width, double domain_height,
                                       bool has_depth = false) {
  const PicturePoint p = picture_point(screen_x, screen_y, frame);
  const Camera::Point at =
      camera.to_domain(p.x, p.y, frame.viewport.width, frame.viewport.height, domain_width, domain_height);
  return has_depth ? GroundView(camera, domain_width, domain_height).to_ground(at) : at;
}

// Where a place of the domain is seen: screen coordinates from the window's upper left corner.
inline Camera::Point domain_to_screen(const Camera::Point& place, const PointerFrame& frame, const Camera& camera,
                                      double domain_width, double domain_height, bool has_depth = false) {
  const Camera::Point at = has_depth ? GroundView(camera, domain_width, domain_height).to_picture(place) : place;
  const Camera::Point p =
      camera.to_pixel(at.x, at.y, frame.viewport.width, frame.viewport.height, domain_width, domain_height);
  return {(p.x + frame.viewport.x) / frame.pixels_per_coordinate,
          (frame.framebuffer_height - frame.viewport.y - p.y) / frame.pixels_per_coordinate};
}

}  // namespace perturb
