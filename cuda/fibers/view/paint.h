// Painting of the fibers: lines in space as capsules of the image, and the water behind them.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/raster_capsules.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

// A line in space from a to b, relative to the followed centre, in a view's pixels; without radius and colour.
PERTURB_HD inline Capsule capsule(const PictureViews& views, const PixelToDomain& map, int view, Vector3<double> a,
                                  Vector3<double> b) {
  const OrbitAxes& e = views.axes[view];
  // Pixels per length unit: the image keeps its aspect ratio.
  const double width = views.domain_width(), height = views.domain_height(), scale_x = 1 / (width * map.dx);
  const double middle = (2 * view + 1) * views.half;
  Capsule c;
  c.x0 = static_cast<float>(((middle + dot(a, e.right)) / width - map.x0) / map.dx);
  c.y0 = static_cast<float>((0.5 + dot(a, e.up) / height - map.y0) / map.dy);
  c.x1 = static_cast<float>(((middle + dot(b, e.right)) / width - map.x0) / map.dx);
  c.y1 = static_cast<float>((0.5 + dot(b, e.up) / height - map.y0) / map.dy);
  c.z0 = static_cast<float>(dot(a, e.away) * scale_x);
  c.z1 = static_cast<float>(dot(b, e.away) * scale_x);
  const double edge = (static_cast<double>(view) / views.views - map.x0) / map.dx;
  const double next = (static_cast<double>(view + 1) / views.views - map.x0) / map.dx;
  c.left = view == 0 ? -1e30f : static_cast<float>(edge + 1);
  c.right = view == views.views - 1 ? 1e30f : static_cast<float>(next - 1);
  return c;
}

// Straight line in the image in addition to the fibers: an arrow's shaft, a box's edge. In absolute coordinates.
struct Line {
  Vector3<double> from, to;
  double radius;  // length; in pixels at least 0.7
  std::uint32_t color;
};

// Where the fibers were some steps ago, and the point that the image followed then.
struct TrailPoint {
  const double* position;
  Vector3<double> followed;
};

// Fibers and lines of all views as capsules.
struct Project {
  const double *position, *tangent, *velocity;
  const double* half_length;  // null: all are 1
  const Line* lines;
  const TrailPoint* trail;
  int fibers, line_count, trail_count;  // of the trail's points; a piece connects two
  PictureViews views;
  PixelToDomain map;
  Vector3<double> center;
  double mean_fall, radius, box;
  double depth;  // farther in front of or behind the middle nothing is drawn: it would hide the middle from above
  Shown shown;
  ColorScale scale;
  int chosen;
  Capsule* capsules;

  PERTURB_HD float value(int m) const {
    const double *v = velocity + 3 * static_cast<std::size_t>(m), *t = tangent + 3 * static_cast<std::size_t>(m);
    switch (shown) {
      case Shown::speed:
        return static_cast<float>(::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
      case Shown::fall:
        return static_cast<float>(-v[2] - mean_fall);
      case Shown::orientation:
        return static_cast<float>(::fabs(t[2]));
      case Shown::index:
        return static_cast<float>(m);
      case Shown::length:
        return half_length ? static_cast<float>(half_length[m]) : 1.f;
    }
    return 0.f;
  }

  PERTURB_HD void operator()(int index, int view) const {
    const OrbitAxes& e = views.axes[view];
    Vector3<double> a, b;
    double thick = radius, faded = 0;
    std::uint32_t color = 0;
    const int piece = index - fibers - line_count;
    if (piece >= 0) {
      const int age = piece / fibers, m = piece % fibers;
      const std::size_t at = 3 * static_cast<std::size_t>(m);
      const double *x = trail[age].position + at, *y = trail[age + 1].position + at;
      const Vector3<double> now = trail[age].followed, then = trail[age + 1].followed;
      a = {x[0] - now.x, x[1] - now.y, x[2] - now.z};
      b = {y[0] - then.x, y[1] - then.y, y[2] - then.z};
      if (box > 0) {
        const Vector3<double> image{box * ::rint(a.x / box), box * ::rint(a.y / box), box * ::rint(a.z / box)};
        a = a - image;
        b = b - image;
      }
      color = m == chosen ? rgba(255, 255, 255) : scale(value(m));
      thick = 0;
      faded = 0.1 + 0.8 * age / trail_count;
    } else if (index < fibers) {
      const double *x = position + 3 * static_cast<std::size_t>(index),
                   *t = tangent + 3 * static_cast<std::size_t>(index);
      Vector3<double> own{x[0] - center.x, x[1] - center.y, x[2] - center.z};
      if (box > 0) {
        own.x -= box * ::rint(own.x / box);
        own.y -= box * ::rint(own.y / box);
        own.z -= box * ::rint(own.z / box);
      }
      const double half = half_length ? half_length[index] : 1;
      const Vector3<double> arm{half * t[0], half * t[1], half * t[2]};
      a = own - arm;
      b = own + arm;
      color = index == chosen ? rgba(255, 255, 255) : scale(value(index));
      if (index == chosen) thick *= 1.5;
    } else {
      const Line& line = lines[index - fibers];
      a = line.from;
      b = line.to;
      thick = line.radius;
      color = line.color;
    }
    Capsule c = capsule(views, map, view, a, b);
    const double scale_x = 1 / (views.domain_width() * map.dx);
    const double pixels = thick * scale_x, min_pixels = piece >= 0 ? 0.6 : index < fibers ? 0.9 : 0.7;
    c.radius = static_cast<float>(pixels > min_pixels ? pixels : min_pixels);
    if (!(c.x0 == c.x0 && c.y0 == c.y0 && c.z0 == c.z0)) c.radius = 0.f;  // NaN: nothing to draw
    const double middle_depth = 0.5 * (dot(a, e.away) + dot(b, e.away));
    if (middle_depth > depth || middle_depth < -depth) c.radius = 0.f;
    // Objects farther away fade into the dark.
    double clear = 0.82 - 0.225 * middle_depth / views.half;
    clear = clear < 0.35 ? 0.35 : clear > 1 ? 1 : clear;
    if (index >= fibers) clear = 1;
    clear *= 1 - faded;
    const auto faint = [clear](float channel, int dark) {
      return static_cast<float>(clear * static_cast<double>(channel) + (1 - clear) * dark);
    };
    const Color bright = color_of(color);
    c.color = pack_color({faint(bright.r, 24), faint(bright.g, 27), faint(bright.b, 33)});
    const std::size_t each = static_cast<std::size_t>(fibers) * (trail_count > 1 ? trail_count : 1) + line_count;
    capsules[view * each + index] = c;
  }
};

// Tracers as short lines: their motion relative to the image, over a time.
struct ProjectTracers {
  const double *position, *velocity;
  PictureViews views;
  PixelToDomain map;
  Vector3<double> center, center_velocity;
  double time;
  Capsule* capsules;
  PERTURB_HD void operator()(int index) const {
    const std::size_t at = 3 * static_cast<std::size_t>(index);
    const double *x = position + at, *u = velocity + at;
    const Vector3<double> a{x[0] - center.x, x[1] - center.y, x[2] - center.z};
    const Vector3<double> way{u[0] - center_velocity.x, u[1] - center_velocity.y, u[2] - center_velocity.z};
    Capsule c = capsule(views, map, 0, a, add_scaled(a, -time, way));
    c.radius = c.x0 == c.x0 && c.y0 == c.y0 && c.z0 == c.z0 ? 0.8f : 0.f;
    c.color = rgba(122, 146, 182);
    capsules[index] = c;
  }
};

// Dark water, a little lighter above, and a line between the views.
struct Background {
  float divider;  // column between two views; below zero: none
  int height;
  PERTURB_HD std::uint32_t operator()(int px, int py) const {
    const float up = static_cast<float>(py) / static_cast<float>(height);
    const float distance = static_cast<float>(px) + 0.5f - divider;
    if (divider > -1e29f && distance < 0.75f && distance > -0.75f) return rgba(64, 70, 82);
    const auto byte = [up](float below, float more) { return static_cast<int>(below + 0.5f + more * up); };
    return rgba(byte(15.f, 9.f), byte(18.f, 10.f), byte(23.f, 13.f));
  }
};

}  // namespace perturb::fibers
