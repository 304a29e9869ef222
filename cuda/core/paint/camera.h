// The view of a simulation: the camera, which maps pixels to the domain, and the settings of what is painted.
#pragma once

#include <string>

#include "cuda/core/backend/host_device.h"

namespace perturb {

// Maps pixel centres to fractions of the domain: x = x0 + (px + 1/2)·dx. The part of a camera that kernels need.
struct PixelToDomain {
  float x0 = 0, y0 = 0, dx = 0, dy = 0;
  PERTURB_HD float x(int px) const { return x0 + (static_cast<float>(px) + 0.5f) * dx; }
  PERTURB_HD float y(int py) const { return y0 + (static_cast<float>(py) + 0.5f) * dy; }
};

inline constexpr double min_zoom = 0.25, max_zoom = 4000;
inline constexpr double radians_per_degree = 3.14159265358979323846 / 180;
// The view may extend a little beyond the domain.
inline bool is_camera_center(double fraction) { return fraction >= -2 && fraction <= 3; }

// The part of the domain that the image shows. Two-dimensional scenes use centre and zoom; three-dimensional ones
// (fibers) the orbit. The domain keeps its aspect; at zoom 1 it just fits the image.
struct Camera {
  double center_x = 0.5, center_y = 0.5;  // fractions of the domain at the middle of the image
  double zoom = 1;                        // 2: everything twice as large
  double yaw = 0, pitch = 0;              // radians; the orbit of three-dimensional scenes

  // Length units of the domain per pixel, for an image of this size and a domain of this extent.
  static double units_per_pixel(int width, int height, double domain_width, double domain_height, double zoom) {
    const double across = domain_width / width, along = domain_height / height;
    return (across > along ? across : along) / zoom;
  }
  PixelToDomain pixel_to_domain(int width, int height, double domain_width, double domain_height) const {
    const double unit = units_per_pixel(width, height, domain_width, domain_height, zoom);
    const double dx = unit / domain_width, dy = unit / domain_height;
    return {static_cast<float>(center_x - 0.5 * width * dx), static_cast<float>(center_y - 0.5 * height * dy),
            static_cast<float>(dx), static_cast<float>(dy)};
  }
  // A point of the image, in pixels from its lower left corner, as fractions of the domain.
  struct Point {
    double x, y;
  };
  Point to_domain(double px, double py, int width, int height, double domain_width, double domain_height) const {
    const double unit = units_per_pixel(width, height, domain_width, domain_height, zoom);
    return {center_x + (px - 0.5 * width) * unit / domain_width, center_y + (py - 0.5 * height) * unit / domain_height};
  }
  Point to_pixel(double x, double y, int width, int height, double domain_width, double domain_height) const {
    const double unit = units_per_pixel(width, height, domain_width, domain_height, zoom);
    return {(x - center_x) * domain_width / unit + 0.5 * width, (y - center_y) * domain_height / unit + 0.5 * height};
  }
  // Zooms by `factor` and keeps the point of the domain under the given pixel in place.
  void zoom_at(double factor, double px, double py, int width, int height, double domain_width, double domain_height) {
    const Point fixed = to_domain(px, py, width, height, domain_width, domain_height);
    zoom *= factor;
    const Point moved = to_domain(px, py, width, height, domain_width, domain_height);
    center_x += fixed.x - moved.x;
    center_y += fixed.y - moved.y;
  }
};

// A second quantity drawn over the first (core/paint/layer.h), for quantities with `can_overlay`.
struct LayerSettings {
  static constexpr int max_lines = 99;

  std::string quantity;             // empty: none
  bool as_lines = true;             // contour lines; otherwise colours, more opaque farther from zero
  int lines = 7;                    // evenly spaced between the ends, without the ends
  double minimum = 0, maximum = 0;  // its range; equal: the quantity's own
  bool operator==(const LayerSettings&) const = default;
};

// The shown quantity and how it is shown. A preset's [view] table uses the same names.
struct ViewSettings {
  std::string quantity;             // empty: the simulation's first
  std::string colormap;             // empty: the quantity's own
  double minimum = 0, maximum = 0;  // the ends of the colour bar; equal: the quantity's own
  bool automatic = false;           // the range follows the data
  bool smooth = true;               // linear magnification, otherwise nearest
  LayerSettings layer;
  bool theory = false;  // draws theory over the image (Diagnostics::marks)
};

}  // namespace perturb
