// Edits of the flow by mouse, presets and scripts, as functors for parallel_for. Positions are in cells, the centre
// of cell (i, j) at (i + 1/2, j + 1/2).
#pragma once

#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/subnormal.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/lbm/model/outline.h"
#include "cuda/lbm/model/shape.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// The velocity of a cell from its stored populations; zero in walls.
template <class T>
struct Velocity {
  Populations<T> g;
  Walls walls;
  float half_force_x, half_force_y;

  PERTURB_HD bool is_wall(int i, int j) const { return walls.at(i, j); }
  PERTURB_HD Moments operator()(int i, int j) const {
    if (is_wall(i, j)) return {0.f, 0.f, 0.f};
    float cell[lbm_links];
    g.load(i, j, cell);
    return moments(cell, -half_force_x, -half_force_y);
  }
};

// Accelerates the fluid along a stroke: u += v exp(-(d/r)²), limited to the speed that the scheme can represent. The
// non-equilibrium part is kept: the populations change by the difference of two equilibria.
template <class T>
struct Push {
  Populations<T> g;
  Velocity<T> velocity;
  CellSegment stroke;
  float vx, vy, radius, fastest;
  int first_i, first_j;

  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (velocity.is_wall(i, j)) return;
    const float share = exponential(-stroke.distance2(i, j) / (radius * radius));
    if (share < 1e-3f) return;
    const Moments before = velocity(i, j);
    Moments after = before;
    after.ux += share * vx, after.uy += share * vy;
    const float was = before.ux * before.ux + before.uy * before.uy;
    const float speed2 = after.ux * after.ux + after.uy * after.uy;
    const float most2 = was > fastest * fastest ? was : fastest * fastest;
    if (speed2 > most2) {
      const float slower = sqrtf(most2 / speed2);
      after.ux *= slower, after.uy *= slower;
    }
    for (int q = 0; q < lbm_links; ++q)
      g.set(q, i, j, g.at(q, i, j) + (lbm_equilibrium(q, after) - lbm_equilibrium(q, before)));
  }
};

// Sets density and velocity to the equilibrium of a given flow.
struct Flow {
  enum class Kind { rest, uniform, vortices, shear };
  Kind kind = Kind::rest;
  float ux = 0, uy = 0;                             // uniform
  float speed = 0;                                  // vortices and shear: the highest speed
  float kx = 0, ky = 0;                             // wave numbers
  float thickness = 80, nudge = 0.05f, height = 1;  // for `shear`
  PERTURB_HD Moments operator()(int i, int j) const {
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    switch (kind) {
      case Kind::rest:
        return {0.f, 0.f, 0.f};
      case Kind::uniform:
        return {0.f, ux, uy};
      case Kind::vortices: {
        // Taylor and Green: u = -U ky/k cos(kx x) sin(ky y), v = U kx/k sin(kx x) cos(ky y), with its pressure.
        const float k = sqrtf(kx * kx + ky * ky), a = speed * ky / k, b = speed * kx / k;
        const float cx = cosine(kx * x), sx = sine(kx * x), cy = cosine(ky * y), sy = sine(ky * y);
        const float pressure = -0.25f * (a * a * (2.f * cx * cx - 1.f) + b * b * (2.f * cy * cy - 1.f));
        return {3.f * pressure, -a * cx * sy, b * sx * cy};
      }
      case Kind::shear: {
        // Minion & Brown (1997): two layers, and a perturbation that rolls them up.
        const float s = y / height;
        const float u = speed * hyperbolic_tangent(thickness * (s <= 0.5f ? s - 0.25f : 0.75f - s));
        return {0.f, u, nudge * speed * sine(kx * x)};
      }
    }
    return {0.f, 0.f, 0.f};
  }
};

template <class T>
struct SetFlow {
  Populations<T> g;
  Walls walls;
  Flow flow;
  int first_i = 0, first_j = 0;
  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    const bool solid = walls.at(i, j);
    const Moments m = solid ? Moments{0.f, 0.f, 0.f} : flow(i, j);
    for (int q = 0; q < lbm_links; ++q) g.set(q, i, j, solid ? 0.f : lbm_equilibrium(q, m));
  }
};

// Walls are drawn as bytes, 1 or 0, in a temporary array.
struct ReadWalls {
  Walls walls;
  View2D<std::uint8_t> wall;
  PERTURB_HD void operator()(int i, int j) const { wall(i, j) = walls.at(i, j) ? 1 : 0; }
};

// `outline`: model/outline.h.
struct DrawWall {
  View2D<std::uint8_t> wall;
  View2D<std::int16_t> outline;
  Shape shape;
  bool erase;
  PERTURB_HD void operator()(int i, int j) const {
    const bool holds = shape.holds(i, j);
    if (holds) wall(i, j) = erase ? 0 : 1;
    const std::int16_t before = outline(i, j), to = outline_of(shape.distance(i, j), holds);
    const auto away = static_cast<std::int16_t>(-to);
    outline(i, j) = erase ? (before > away ? before : away) : (before < to ? before : to);
  }
};

// Marks the outline as unknown where a wall was added or removed that was not drawn as a shape.
struct MatchOutline {
  View2D<const std::uint8_t> wall;
  View2D<std::int16_t> outline;
  PERTURB_HD void operator()(int i, int j) const {
    const bool is = wall(i, j) != 0;
    if (is ? outline(i, j) >= 0 : outline(i, j) <= 0)
      outline(i, j) = is ? static_cast<std::int16_t>(-outline_far) : outline_far;
  }
};

// For cells that moving walls uncover: the velocity of these walls, and the share of it that the cell gets.
struct WallVelocity {
  float ux = 0, uy = 0, share = 0;
};

// Initialises populations after a change of walls. A cell that becomes fluid gets the equilibrium of the mean
// density and velocity, and the mean non-equilibrium part, of its neighbours that were fluid before and still are; if
// there
// are none, fluid at rest. Cells that are read are not written.
template <class T>
struct InitializeUncoveredCells {
  Populations<T> g;
  Velocity<T> before;  // with the previous walls
  View2D<const std::uint8_t> wall;
  bool wrap_x, wrap_y;
  WallVelocity wall_velocity;
  PERTURB_HD void operator()(int i, int j) const {
    const bool was = before.is_wall(i, j), is = wall(i, j) != 0;
    if (was == is) return;
    Moments mean{0.f, 0.f, 0.f};
    float beyond[lbm_links] = {0.f};  // non-equilibrium part
    if (!is) {
      float count = 0.f;
      for (int q = 1; q < lbm_links; ++q) {
        int a = i + lbm_ex(q), b = j + lbm_ey(q);
        if (wrap_x) a = wrap(a, g.width);
        if (wrap_y) b = wrap(b, g.height);
        if (a < 0 || a >= g.width || b < 0 || b >= g.height || before.is_wall(a, b) || wall(a, b) != 0) continue;
        const Moments m = before(a, b);
        mean.drho += m.drho, mean.ux += m.ux, mean.uy += m.uy;
        for (int o = 0; o < lbm_links; ++o) beyond[o] += g.at(o, a, b) - lbm_equilibrium(o, m);
        count += 1.f;
      }
      const float share = count > 0.f ? 1.f / count : 0.f;
      mean.drho *= share, mean.ux *= share, mean.uy *= share;
      for (float& value : beyond) value *= share;
      mean.ux += wall_velocity.share * (wall_velocity.ux - mean.ux),
          mean.uy += wall_velocity.share * (wall_velocity.uy - mean.uy);
    }
    for (int q = 0; q < lbm_links; ++q) g.set(q, i, j, is ? 0.f : lbm_equilibrium(q, mean) + beyond[q]);
  }
};

// Whether diagonal link q of cell (i, j), which comes from a fluid cell, passes between two walls that touch at a
// corner. Nothing flows there: such a link is treated as one out of a wall.
PERTURB_HD inline bool lbm_passes_corner(const StepParams& params, const View2D<const std::uint8_t>& wall, int q, int i,
                                         int j) {
  return q > 4 && wall(wrap(i - lbm_ex(q), params.width), j) != 0 && wall(i, wrap(j - lbm_ey(q), params.height)) != 0;
}

// The boundary links of a cell, for these walls (empty: none) and the sides of `params`.
PERTURB_HD inline int lbm_boundary_links_of(const StepParams& params, const View2D<const std::uint8_t>& wall, int i,
                                            int j) {
  if (!wall.empty() && wall(i, j) != 0) return all_links;
  int mask = 0;
  for (int q = 1; q < lbm_links; ++q) {
    bool marked = lbm_crossing(params, q, i, j).any;
    if (!marked && !wall.empty())
      marked = wall(wrap(i - lbm_ex(q), params.width), wrap(j - lbm_ey(q), params.height)) != 0 ||
               lbm_passes_corner(params, wall, q, i, j);
    if (marked) mask |= 1 << (q - 1);
  }
  return mask;
}

struct MarkLinks {
  StepParams params;  // for the sides
  View2D<const std::uint8_t> wall;
  View2D<std::uint8_t> links;
  PERTURB_HD void operator()(int i, int j) const {
    links(i, j) = static_cast<std::uint8_t>(lbm_boundary_links_of(params, wall, i, j));
  }
};

template <class From, class To>
struct Convert {
  Populations<From> from;
  Populations<To> to;
  PERTURB_HD void operator()(int i, int j) const {
    for (int q = 0; q < lbm_links; ++q) to.set(q, i, j, from.at(q, i, j));
  }
};

// ---- dye

struct DropDye {
  View2D<float> dye;
  Walls walls;
  CellSegment stroke;
  float radius, amount;
  bool hold;  // raise to at least `amount`, instead of adding
  int first_i, first_j;
  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (walls.at(i, j)) return;
    const float share = exponential(-stroke.distance2(i, j) / (radius * radius));
    if (share < 1e-3f) return;
    float value = dye(i, j);
    if (hold)
      value = value > amount * share ? value : amount * share;
    else
      value += amount * share;
    dye(i, j) = value < 0.f ? 0.f : value > 1.f ? 1.f : value;
  }
};

// Advects the dye: the value at the position where the fluid of this cell was `span` steps ago
// (semi-Lagrangian, midpoint).
template <class T>
struct CarryDye {
  Velocity<T> velocity;
  View2D<const float> from;
  View2D<float> to;
  float span;
  bool wrap_x, wrap_y, open_left, open_right, open_bottom, open_top;

  PERTURB_HD Moments velocity_at(float x, float y) const {
    int i = static_cast<int>(floorf(x)), j = static_cast<int>(floorf(y));
    i = wrap_x ? wrap(i, from.width) : clamp_index(i, from.width);
    j = wrap_y ? wrap(j, from.height) : clamp_index(j, from.height);
    return velocity(clamp_index(i, from.width), clamp_index(j, from.height));
  }
  // The column or row of dye that represents `i`; -1 where clear fluid flows in.
  PERTURB_HD static int place_of(int i, int count, bool wraps, bool open_low, bool open_high) {
    if (i >= 0 && i < count) return i;
    if (i < 0 ? open_low : open_high) return -1;
    return clamp_index(wraps ? wrap(i, count) : i, count);
  }
  PERTURB_HD float value(int i, int j) const { return (i | j) < 0 ? 0.f : from(i, j); }
  PERTURB_HD void operator()(int i, int j) const {
    if (velocity.is_wall(i, j)) {
      to(i, j) = 0.f;
      return;
    }
    const Moments here = velocity(i, j);
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    const Moments middle = velocity_at(x - 0.5f * span * here.ux, y - 0.5f * span * here.uy);
    const float px = x - span * middle.ux - 0.5f, py = y - span * middle.uy - 0.5f;
    const float fx = floorf(px), fy = floorf(py), a = px - fx, b = py - fy;
    // A flow that is no longer finite has no origin.
    if (!(fabsf(px - x) < 1e4f && fabsf(py - y) < 1e4f)) {
      to(i, j) = from(i, j);
      return;
    }
    const int i0 = static_cast<int>(fx), j0 = static_cast<int>(fy);
    const int left = place_of(i0, from.width, wrap_x, open_left, open_right),
              right = place_of(i0 + 1, from.width, wrap_x, open_left, open_right),
              below = place_of(j0, from.height, wrap_y, open_bottom, open_top),
              above = place_of(j0 + 1, from.height, wrap_y, open_bottom, open_top);
    const float v00 = value(left, below), v01 = value(left, above);
    const float low = v00 + a * (value(right, below) - v00), high = v01 + a * (value(right, above) - v01);
    to(i, j) = flush_subnormal(low + b * (high - low));
  }
};

}  // namespace perturb::lbm
