// Edits of the tank's fields by mouse, presets and scripts, as functors for parallel_for. Positions are in cells,
// the centre of cell (i, j) at (i + 1/2, j + 1/2).
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/math/copies.h"
#include "cuda/core/math/elementary.h"
#include "cuda/wave/model/cell.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// Change of height of cell (i, j) by a droplet of radius s and amplitude a, centred on cell (ci, cj): -a
// exp(-r²/s²), on the cells up to `reach` to each side of the centre. Distances in cells.
template <class Real>
PERTURB_HD inline Real wave_droplet(int i, int j, int ci, int cj, int reach, Real radius, Real amplitude) {
  const int di = i - ci, dj = j - cj;
  if (di < -reach || di > reach || dj < -reach || dj > reach) return Real(0);
  const Real x = Real(di) / radius, y = Real(dj) / radius;
  return -amplitude * exponential(-x * x - y * y);
}

// Adds a droplet to the surface u. Runs over a patch of cells; (first_i, first_j) is its lower left cell. At a periodic
// side the patch continues at the opposite side; otherwise the part outside the tank is dropped.
template <class Real>
struct AddDroplet {
  View2D<Real> u;
  View2D<const Real> medium;  // may be empty
  int center_i, center_j, first_i, first_j, reach;
  bool wrap_x, wrap_y;
  Real radius, amplitude;

  PERTURB_HD void operator()(int a, int b) const {
    int i = first_i + a, j = first_j + b;
    const Real change = wave_droplet(i, j, center_i, center_j, reach, radius, amplitude);
    if (wrap_x) i = i < 0 ? i + u.width : i >= u.width ? i - u.width : i;
    if (wrap_y) j = j < 0 ? j + u.height : j >= u.height ? j - u.height : j;
    if (i < 0 || i >= u.width || j < 0 || j >= u.height) return;
    if (!medium.empty() && is_wall(medium(i, j))) return;
    u(i, j) += change;
  }
};

// Sets the surface to a source's height where the source holds it.
template <class Real>
struct HoldSurface {
  View2D<Real> u;
  HardSource<Real> source;
  PERTURB_HD void operator()(int i, int j) const {
    if (in_hard_source(source, i, j)) u(i, j) = source.height;
  }
};

// Raises the whole surface at level t, except in walls.
template <class Real>
struct RaiseSurface {
  View2D<Real> u;
  View2D<const Real> medium;  // may be empty
  Real height;
  PERTURB_HD void operator()(int i, int j) const {
    if (medium.empty() || !is_wall(medium(i, j))) u(i, j) += height;
  }
};

// Removes a velocity common to all cells: `change` is its change of height per step.
template <class Real>
struct TakeDrift {
  View2D<Real> u_previous;
  Real change;
  PERTURB_HD void operator()(int i, int j) const { u_previous(i, j) += change; }
};

// Openings of equal width in an upright wall, one above the other. Lengths in cells.
struct Openings {
  int count = 0;
  float middle = 0;      // y of their common middle
  float distance = 0;    // of their centres
  float half_width = 0;  // of each

  PERTURB_HD bool holds(float y) const {
    if (count < 1) return false;
    const float half = 0.5f * static_cast<float>(count - 1);
    float nearest = distance > 0.f ? rintf((y - middle) / distance + half) : 0.f;
    nearest = nearest < 0.f ? 0.f : nearest > 2 * half ? 2 * half : nearest;
    return fabsf(y - middle - (nearest - half) * distance) <= half_width;
  }
};

// A region of the tank: all cells within `radius` of a segment, or those inside a rectangle or an ellipse, and its
// copies round sides that repeat.
struct Shape {
  enum class Kind { everywhere, segment, rectangle, ellipse };
  Kind kind = Kind::everywhere;
  CellSegment line;      // segment: its ends. rectangle: its corners. ellipse: centre and half axes
  Openings openings;     // not part of a rectangle
  float radius = 0;      // segment
  bool outside = false;  // the complement of the region
  Copies copies{};

  PERTURB_HD bool holds(int i, int j) const {
    bool inside = copies.any(i, j, [this](int a, int b) { return covers(a, b); });
    if (inside && openings.count > 0)
      inside = !copies.any(i, j, [this](int, int b) { return openings.holds(static_cast<float>(b) + 0.5f); });
    return inside != outside;
  }

 private:
  PERTURB_HD bool covers(int i, int j) const {
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    return kind == Kind::segment     ? line.distance2(i, j) <= radius * radius
           : kind == Kind::rectangle ? in_rectangle(line, x, y)
           : kind == Kind::ellipse   ? in_ellipse(line, x, y)
                                     : true;
  }
};

// A factor that changes linearly from `from` at the line's first end to `to` at its second, and is constant beyond.
// Where sides repeat, it jumps half a tank from the line's middle.
struct SpeedRamp {
  CellSegment line;
  float from = 1, to = 1;
  int repeats_x = 0, repeats_y = 0;  // cells after which it repeats; 0: it does not

  PERTURB_HD float at(int i, int j) const {
    return from +
           line.along(nearest(i, line.x0, line.x1, repeats_x), nearest(j, line.y0, line.y1, repeats_y)) * (to - from);
  }

 private:
  // The copy of a cell's centre that is nearest to the line's middle.
  PERTURB_HD static float nearest(int i, float start, float end, int repeats) {
    const float at = static_cast<float>(i) + 0.5f, count = static_cast<float>(repeats);
    if (repeats == 0) return at;
    return at - count * floorf(((at - start) - 0.5f * (end - start)) / count + 0.5f);
  }
};

// Adds or removes a wall. In a wall the surface is zero from the start.
template <class Real>
struct PaintWall {
  View2D<Real> medium, u, u_previous;
  Shape shape;
  bool erase;
  int first_i, first_j;

  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (!shape.holds(i, j)) return;
    const Real factor = fabs(medium(i, j));
    medium(i, j) = erase ? factor : -factor;
    if (!erase) {
      u(i, j) = Real(0);
      u_previous(i, j) = Real(0);
    }
  }
};

// Sets the surface to zero in every wall.
template <class Real>
struct ZeroWalls {
  View2D<const Real> medium;
  View2D<Real> u, u_previous;
  PERTURB_HD void operator()(int i, int j) const {
    if (is_wall(medium(i, j))) {
      u(i, j) = Real(0);
      u_previous(i, j) = Real(0);
    }
  }
};

// Sets the wave speed, as a multiple of c.
template <class Real>
struct PaintSpeed {
  View2D<Real> medium;
  Shape shape;
  SpeedRamp ramp;
  int first_i, first_j;

  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (!shape.holds(i, j)) return;
    const Real factor = static_cast<Real>(ramp.at(i, j));
    medium(i, j) = is_wall(medium(i, j)) ? -factor : factor;
  }
};

// An object of the medium: a wall, or water of another speed.
struct Overlay {
  Shape shape;
  SpeedRamp ramp;
  bool is_wall = false;
};
constexpr int max_overlays = 16;

// Builds the medium again in a region, from what was painted and the objects over it, in their order.
template <class Real>
struct ComposeMedium {
  View2D<Real> medium;
  View2D<const Real> painted;  // may be empty: water of speed c
  Overlay overlays[max_overlays];
  int count;
  Shape region;
  int first_i, first_j;

  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (!region.holds(i, j)) return;
    Real value = painted.empty() ? Real(1) : painted(i, j);
    for (int k = 0; k < count; ++k) {
      if (!overlays[k].shape.holds(i, j)) continue;
      const Real factor = overlays[k].is_wall ? Real(fabs(value)) : static_cast<Real>(overlays[k].ramp.at(i, j));
      value = overlays[k].is_wall || is_wall(value) ? -factor : factor;
    }
    medium(i, j) = value;
  }
};

// Resets the medium of the whole tank: removes walls unless `keep_walls`, sets the speed to c unless `keep_speed`.
template <class Real>
struct SetMedium {
  View2D<Real> medium;
  bool keep_walls, keep_speed;
  PERTURB_HD void operator()(int i, int j) const {
    const Real factor = keep_speed ? Real(fabs(medium(i, j))) : Real(1);
    medium(i, j) = keep_walls && is_wall(medium(i, j)) ? -factor : factor;
  }
};

// Adds a standing mode at rest: x[i]·y[j] to u, and that times `previous` to u_previous.
template <class Real>
struct AddMode {
  View2D<Real> u, u_previous;
  View2D<const Real> medium;  // may be empty
  View1D<const double> x, y;
  double previous;
  PERTURB_HD void operator()(int i, int j) const {
    if (!medium.empty() && is_wall(medium(i, j))) return;
    const double value = x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
    u(i, j) += static_cast<Real>(value);
    u_previous(i, j) += static_cast<Real>(value * previous);
  }
};

// Rescales the last change of each cell, so that its velocity (u - u_previous)/dt stays when dt becomes ratio·dt.
template <class Real>
struct KeepVelocity {
  View2D<const Real> u;
  View2D<Real> u_previous;
  Real ratio;
  PERTURB_HD void operator()(int i, int j) const {
    u_previous(i, j) = multiply_add(ratio, u_previous(i, j) - u(i, j), u(i, j));
  }
};

}  // namespace perturb::wave
