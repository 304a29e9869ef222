// Shapes of walls. Positions are in cells, the centre of cell (i, j) at (i + 1/2, j + 1/2).
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/random.h"
#include "cuda/core/math/shapes.h"

namespace perturb::lbm {

// A region: all cells within `radius` of a segment, a rectangle, an ellipse, a four-digit NACA wing section or random
// grains.
struct Shape {
  enum class Kind { segment, rectangle, ellipse, airfoil, grains };
  Kind kind = Kind::segment;
  // segment: its ends. rectangle: its corners. ellipse: centre, half axes. airfoil: nose, chord in x1
  CellSegment line;
  float radius = 0;                                                                // segment, grains
  float sine = 0, cosine = 1, camber = 0, camber_place = 0.4f, thickness = 0.12f;  // airfoil
  int columns = 1, rows = 1;  // grains: one per square, at a random position in it
  float share = 1;
  std::uint32_t seed = 1;

  // Farther than any distance that outlines use (model/outline.h).
  static constexpr float far = 1e4f;

  // Whether the shape contains the centre of the cell.
  PERTURB_HD bool holds(int i, int j) const {
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    switch (kind) {
      case Kind::segment:
        return line.distance2(i, j) <= radius * radius;
      case Kind::rectangle:
        return in_rectangle(line, x, y);
      case Kind::ellipse:
        return in_ellipse(line, x, y);
      case Kind::airfoil: {
        const Along at = along_chord(x, y);
        if (at.s < 0.f || at.s > 1.f) return false;
        const float mean = mean_line(at.s), half = half_thickness(at.s);
        return at.t <= mean + half && at.t >= mean - half;
      }
      case Kind::grains: {
        if (!is_near_grains(x, y)) return false;
        const int ci = column_of(x), cj = row_of(y);
        for (int b = cj - 1; b <= cj + 1; ++b)
          for (int a = ci - 1; a <= ci + 1; ++a) {
            const Grain grain = grain_of(a, b);
            if (grain.radius <= 0.f) continue;
            const float dx = x - grain.x, dy = y - grain.y;
            if (dx * dx + dy * dy <= grain.radius * grain.radius) return true;
          }
        return false;
      }
    }
    return false;
  }

  // Distance of the cell's centre from the shape, in cells, negative inside: exact for discs, lines, rectangles and
  // grains, to first order in the distance for ellipses and wings.
  PERTURB_HD float distance(int i, int j) const {
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    switch (kind) {
      case Kind::segment:
        return sqrtf(line.distance2(i, j)) - radius;
      case Kind::rectangle: {
        const float dx = fmaxf(line.x0 - x, x - line.x1), dy = fmaxf(line.y0 - y, y - line.y1);
        const float ox = fmaxf(dx, 0.f), oy = fmaxf(dy, 0.f);
        return dx <= 0.f && dy <= 0.f ? fmaxf(dx, dy) : sqrtf(ox * ox + oy * oy);
      }
      case Kind::ellipse: {
        const float dx = x - line.x0, dy = y - line.y0, ex = dx / line.x1, ey = dy / line.y1;
        const float level = sqrtf(ex * ex + ey * ey), ax = ex / line.x1, ay = ey / line.y1;
        const float slope = sqrtf(ax * ax + ay * ay);  // level times the gradient of `level`
        return slope > 0.f ? level * (level - 1.f) / slope : -fminf(line.x1, line.y1);
      }
      case Kind::airfoil:
        return airfoil_distance(along_chord(x, y)) * line.x1;
      case Kind::grains: {
        if (!is_near_grains(x, y)) return far;
        const int ci = column_of(x), cj = row_of(y);
        float nearest = far;
        for (int b = cj - 1; b <= cj + 1; ++b)
          for (int a = ci - 1; a <= ci + 1; ++a) {
            const Grain grain = grain_of(a, b);
            if (grain.radius <= 0.f) continue;
            const float dx = x - grain.x, dy = y - grain.y;
            nearest = fminf(nearest, sqrtf(dx * dx + dy * dy) - grain.radius);
          }
        return nearest;
      }
    }
    return far;
  }

 private:
  // A point relative to a wing: along its chord from the nose, and across it; in chords.
  struct Along {
    float s, t;
  };
  PERTURB_HD Along along_chord(float x, float y) const {
    const float dx = x - line.x0, dy = y - line.y0, chord = line.x1;
    return {(dx * cosine - dy * sine) / chord, (dx * sine + dy * cosine) / chord};
  }
  // The polynomials of the four-digit sections; at least a cell thick, otherwise the tail would break up.
  PERTURB_HD float half_thickness(float s) const {
    const float half =
        5.f * thickness * (0.2969f * sqrtf(s) + s * (-0.1260f + s * (-0.3516f + s * (0.2843f - 0.1036f * s))));
    return half > 0.6f / line.x1 ? half : 0.6f / line.x1;
  }
  PERTURB_HD float mean_line(float s) const {
    const float p = camber_place;
    return s < p ? camber / (p * p) * (2.f * p * s - s * s)
                 : camber / ((1.f - p) * (1.f - p)) * ((1.f - 2.f * p) + 2.f * p * s - s * s);
  }
  // Distance from the upper or the lower side, whichever is nearer: the height over it divided by the gradient's
  // length.
  PERTURB_HD float airfoil_distance(const Along& at) const {
    const float s = at.s < 0.f ? 0.f : at.s > 1.f ? 1.f : at.s, side = at.t >= mean_line(s) ? 1.f : -1.f;
    const float over = side * (at.t - mean_line(s)) - half_thickness(s), beyond = at.s < 0.f ? -at.s : at.s - 1.f;
    if (beyond > 0.f) {
      const float high = fmaxf(over, 0.f);
      return sqrtf(beyond * beyond + high * high);
    }
    const float step = 0.5f / line.x1, low = fmaxf(s - step, 0.f), high = fminf(s + step, 1.f);
    const float slope =
        (side * (mean_line(high) - mean_line(low)) + half_thickness(high) - half_thickness(low)) / (high - low);
    const float distance = over / sqrtf(1.f + slope * slope);
    return distance < 0.f ? fmaxf(distance, -fminf(s, 1.f - s)) : distance;
  }

  struct Grain {
    float x, y, radius;
  };
  PERTURB_HD float square_width() const { return (line.x1 - line.x0) / static_cast<float>(columns); }
  PERTURB_HD float square_height() const { return (line.y1 - line.y0) / static_cast<float>(rows); }
  // A grain reaches at most the next square. (Farther out, or without space for grains, the square's index may not
  // fit into an int.)
  PERTURB_HD bool is_near_grains(float x, float y) const {
    const float wide = square_width(), high = square_height();
    return wide > 0.f && high > 0.f && x >= line.x0 - wide && x <= line.x1 + wide && y >= line.y0 - high &&
           y <= line.y1 + high;
  }
  PERTURB_HD int column_of(float x) const { return static_cast<int>(floorf((x - line.x0) / square_width())); }
  PERTURB_HD int row_of(float y) const { return static_cast<int>(floorf((y - line.y0) / square_height())); }
  // The grain of a square; of zero size if there is none.
  PERTURB_HD Grain grain_of(int a, int b) const {
    if (a < 0 || a >= columns || b < 0 || b >= rows) return {0.f, 0.f, 0.f};
    const Random4 r = philox(
        seed, 7, static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(a));
    if (uniform_float(r.v[3]) >= share) return {0.f, 0.f, 0.f};
    return {line.x0 + (static_cast<float>(a) + 0.2f + 0.6f * uniform_float(r.v[0])) * square_width(),
            line.y0 + (static_cast<float>(b) + 0.2f + 0.6f * uniform_float(r.v[1])) * square_height(),
            radius * (0.6f + 0.8f * uniform_float(r.v[2]))};
  }
};

}  // namespace perturb::lbm
