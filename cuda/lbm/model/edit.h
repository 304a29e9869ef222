// Edits of the flow by mouse, presets and scripts, as functors for parallel_for, and the shapes of walls. Positions are
// in cells, the centre of cell (i, j) at (i + 1/2, j + 1/2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/math/arithmetic.h"
#include "cuda/core/math/copies.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

// A region: all cells within `radius` of a segment, a rectangle, an ellipse, a four-digit NACA wing section or random
// grains; and its copies round sides that repeat (model/placed_body.h). Rectangles and ellipses may be turned about
// their centre, counterclockwise; a wing section is turned about its nose, clockwise.
struct Shape {
  enum class Kind { segment, rectangle, ellipse, airfoil, grains };
  Kind kind = Kind::segment;
  // segment: its ends. rectangle: its corners. ellipse: centre, half axes. airfoil: nose, chord in x1
  CellSegment line;
  float radius = 0;                                          // segment, grains
  float sine = 0, cosine = 1;                                // of the angle: rectangle, ellipse, airfoil
  float camber = 0, camber_place = 0.4f, thickness = 0.12f;  // airfoil
  int columns = 1, rows = 1;                                 // grains: one per square, at a random position in it
  float share = 1;
  std::uint32_t seed = 1;
  Copies copies{};

  // Farther than any distance that outlines use (model/walls.h).
  static constexpr float far = 1e4f;

  // Whether the shape contains the centre of the cell.
  PERTURB_HD bool holds(int i, int j) const {
    return copies.any(i, j, [this](int a, int b) { return covers(a, b); });
  }
  // Distance of the cell's centre from the shape, in cells, negative inside: exact for discs, lines, rectangles and
  // grains, to first order in the distance for ellipses and wings.
  PERTURB_HD float distance(int i, int j) const {
    float nearest = far;
    copies.any(i, j, [&](int a, int b) {
      nearest = fminf(nearest, own_distance(a, b));
      return false;
    });
    return nearest;
  }

  // A wing section: half its thickness and the height of its mean line at s chords behind the nose, in chords.
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

 private:
  // The same of the shape without its copies.
  PERTURB_HD bool covers(int i, int j) const {
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    switch (kind) {
      case Kind::segment:
        return line.distance2(i, j) <= radius * radius;
      case Kind::rectangle: {
        if (sine == 0.f) return in_rectangle(line, x, y);
        const Point half = half_sides(), at = turned_back((x - line.x0) - half.x, (y - line.y0) - half.y);
        return at.x >= -half.x && at.x < half.x && at.y >= -half.y && at.y < half.y;
      }
      case Kind::ellipse: {
        const Point at = turned_back(x - line.x0, y - line.y0);
        return in_ellipse({0.f, 0.f, line.x1, line.y1}, at.x, at.y);
      }
      case Kind::airfoil: {
        const Along at = along_chord(x, y);
        if (at.s < 0.f || at.s > 1.f) return false;
        const float mean = mean_line(at.s), half = half_thickness(at.s);
        return at.t <= mean + half && at.t >= mean - half;
      }
      case Kind::grains: {
        const float from_x = x - line.x0, from_y = y - line.y0;
        if (!is_near_grains(from_x, from_y)) return false;
        const int ci = column_of(from_x), cj = row_of(from_y);
        for (int b = cj - 1; b <= cj + 1; ++b)
          for (int a = ci - 1; a <= ci + 1; ++a) {
            const Grain grain = grain_of(a, b);
            if (grain.radius <= 0.f) continue;
            const float dx = from_x - grain.x, dy = from_y - grain.y;
            if (dx * dx + dy * dy <= grain.radius * grain.radius) return true;
          }
        return false;
      }
    }
    return false;
  }

  PERTURB_HD float own_distance(int i, int j) const {
    const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
    switch (kind) {
      case Kind::segment:
        return sqrtf(line.distance2(i, j)) - radius;
      case Kind::rectangle: {
        float dx = fmaxf(line.x0 - x, x - line.x1), dy = fmaxf(line.y0 - y, y - line.y1);
        if (sine != 0.f) {
          const Point half = half_sides(), at = turned_back((x - line.x0) - half.x, (y - line.y0) - half.y);
          dx = fabsf(at.x) - half.x;
          dy = fabsf(at.y) - half.y;
        }
        const float ox = fmaxf(dx, 0.f), oy = fmaxf(dy, 0.f);
        return dx <= 0.f && dy <= 0.f ? fmaxf(dx, dy) : sqrtf(ox * ox + oy * oy);
      }
      case Kind::ellipse: {
        const Point at = turned_back(x - line.x0, y - line.y0);
        const float ex = at.x / line.x1, ey = at.y / line.y1;
        const float level = sqrtf(ex * ex + ey * ey), ax = ex / line.x1, ay = ey / line.y1;
        const float slope = sqrtf(ax * ax + ay * ay);  // level times the gradient of `level`
        return slope > 0.f ? level * (level - 1.f) / slope : -fminf(line.x1, line.y1);
      }
      case Kind::airfoil:
        return airfoil_distance(along_chord(x, y)) * line.x1;
      case Kind::grains: {
        const float from_x = x - line.x0, from_y = y - line.y0;
        if (!is_near_grains(from_x, from_y)) return far;
        const int ci = column_of(from_x), cj = row_of(from_y);
        float nearest = far;
        for (int b = cj - 1; b <= cj + 1; ++b)
          for (int a = ci - 1; a <= ci + 1; ++a) {
            const Grain grain = grain_of(a, b);
            if (grain.radius <= 0.f) continue;
            const float dx = from_x - grain.x, dy = from_y - grain.y;
            nearest = fminf(nearest, sqrtf(dx * dx + dy * dy) - grain.radius);
          }
        return nearest;
      }
    }
    return far;
  }

  struct Point {
    float x, y;
  };
  // A point from the centre, before the shape was turned about it. Half a turn changes no rectangle or ellipse.
  PERTURB_HD Point turned_back(float dx, float dy) const {
    if (sine == 0.f) return {dx, dy};
    return {dx * cosine + dy * sine, dy * cosine - dx * sine};
  }
  PERTURB_HD Point half_sides() const { return {0.5f * (line.x1 - line.x0), 0.5f * (line.y1 - line.y0)}; }

  // A point relative to a wing: along its chord from the nose, and across it; in chords.
  struct Along {
    float s, t;
  };
  PERTURB_HD Along along_chord(float x, float y) const {
    const float dx = x - line.x0, dy = y - line.y0, chord = line.x1;
    return {(dx * cosine - dy * sine) / chord, (dx * sine + dy * cosine) / chord};
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
  // Positions among grains are from the lower left corner. A grain reaches at most the next square. (Farther out, or
  // without space for grains, the square's index may not fit into an int.)
  PERTURB_HD bool is_near_grains(float x, float y) const {
    const float wide = square_width(), high = square_height();
    return wide > 0.f && high > 0.f && x >= -wide && x <= (line.x1 - line.x0) + wide && y >= -high &&
           y <= (line.y1 - line.y0) + high;
  }
  PERTURB_HD int column_of(float x) const { return static_cast<int>(floorf(x / square_width())); }
  PERTURB_HD int row_of(float y) const { return static_cast<int>(floorf(y / square_height())); }
  // The grain of a square; of zero size if there is none.
  PERTURB_HD Grain grain_of(int a, int b) const {
    if (a < 0 || a >= columns || b < 0 || b >= rows) return {0.f, 0.f, 0.f};
    const Random4 r = philox(
        seed, 7, static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(a));
    if (uniform_float(r.v[3]) >= share) return {0.f, 0.f, 0.f};
    return {(static_cast<float>(a) + 0.2f + 0.6f * uniform_float(r.v[0])) * square_width(),
            (static_cast<float>(b) + 0.2f + 0.6f * uniform_float(r.v[1])) * square_height(),
            radius * (0.6f + 0.8f * uniform_float(r.v[2]))};
  }
};

// ---- velocity and walls

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
  // Moments whose equilibrium has the velocity of `m` when it is stored.
  PERTURB_HD Moments with_half_force(const Moments& m) const {
    const float inverse = 1.f / (1.f + m.drho);
    return {m.drho, m.ux + half_force_x * inverse, m.uy + half_force_y * inverse};
  }
};

// Accelerates the fluid along a stroke, or its nearest copy: u += v exp(-(d/r)²), limited to the speed that the scheme
// can represent. The non-equilibrium part is kept: the populations change by the difference of two equilibria.
template <class T>
struct Push {
  Populations<T> g;
  Velocity<T> velocity;
  CellSegment stroke;
  Copies copies;
  float vx, vy, radius, fastest;
  int first_i, first_j;

  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (velocity.is_wall(i, j)) return;
    const float share = exponential(-copies.distance2(stroke, i, j) / (radius * radius));
    if (share < 1e-3f) return;
    const Moments before = velocity(i, j);
    Moments after = before;
    after.ux += share * vx;
    after.uy += share * vy;
    const float was = before.ux * before.ux + before.uy * before.uy;
    const float speed2 = after.ux * after.ux + after.uy * after.uy;
    const float most2 = was > fastest * fastest ? was : fastest * fastest;
    if (speed2 > most2) {
      const float slower = sqrtf(most2 / speed2);
      after.ux *= slower;
      after.uy *= slower;
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

// Stored populations are those after a collision, whose momentum contains half of the force (Guo).
template <class T>
struct SetFlow {
  Populations<T> g;
  Velocity<T> velocity;
  Flow flow;
  int first_i = 0, first_j = 0;
  PERTURB_HD void operator()(int a, int b) const {
    // The box may continue through a side that repeats.
    const int i = wrap(first_i + a, g.width), j = wrap(first_j + b, g.height);
    const bool solid = velocity.is_wall(i, j);
    const Moments m = solid ? Moments{0.f, 0.f, 0.f} : velocity.with_half_force(flow(i, j));
    for (int q = 0; q < lbm_links; ++q) g.set(q, i, j, solid ? 0.f : lbm_equilibrium(q, m));
  }
};

// Keeps the velocity when the force changes, by adding half of the change to the momentum. `change_x` and `change_y`:
// of the force.
template <class T>
struct ChangeForce {
  Populations<T> g;
  Walls walls;
  float change_x, change_y;
  PERTURB_HD void operator()(int i, int j) const {
    if (walls.at(i, j)) return;
    for (int q = 1; q < lbm_links; ++q) {
      const float along = static_cast<float>(lbm_ex(q)) * change_x + static_cast<float>(lbm_ey(q)) * change_y;
      g.set(q, i, j, g.at(q, i, j) + 1.5f * lbm_weight(q) * along);
    }
  }
};

// Gives every cell a random velocity of up to `size` in each direction, at a constant density. The numbers belong to
// the cell's distance from (first_i, first_j): the same flow elsewhere gets the same ones.
template <class T>
struct Disturb {
  Populations<T> g;
  Walls walls;
  float size;
  std::uint32_t seed;
  std::uint64_t moment;
  int first_i, first_j;
  bool wrap_x, wrap_y;
  PERTURB_HD void operator()(int i, int j) const {
    if (walls.at(i, j)) return;
    const int a = wrap_x ? wrap(i - first_i, g.width) : i - first_i,
              b = wrap_y ? wrap(j - first_j, g.height) : j - first_j;
    const Random4 r = philox(seed, moment,
                             static_cast<std::uint64_t>(static_cast<std::uint32_t>(b)) << 32 |
                                 static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)));
    const float ux = size * (2.f * uniform_float(r.v[0]) - 1.f), uy = size * (2.f * uniform_float(r.v[1]) - 1.f);
    for (int q = 1; q < lbm_links; ++q) {
      const float along = static_cast<float>(lbm_ex(q)) * ux + static_cast<float>(lbm_ey(q)) * uy;
      g.set(q, i, j, g.at(q, i, j) + 3.f * lbm_weight(q) * along);
    }
  }
};

// Walls are drawn as bytes, 1 or 0, in a temporary array.
struct ReadWalls {
  Walls walls;
  View2D<std::uint8_t> wall;
  PERTURB_HD void operator()(int i, int j) const { wall(i, j) = walls.at(i, j) ? 1 : 0; }
};

// `outline`: model/walls.h.
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
// there are none, fluid at rest. Cells that are read are not written.
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
        mean.drho += m.drho;
        mean.ux += m.ux;
        mean.uy += m.uy;
        for (int o = 0; o < lbm_links; ++o) beyond[o] += g.at(o, a, b) - lbm_equilibrium(o, m);
        count += 1.f;
      }
      const float share = count > 0.f ? 1.f / count : 0.f;
      mean.drho *= share;
      mean.ux *= share;
      mean.uy *= share;
      for (float& value : beyond) value *= share;
      mean.ux += wall_velocity.share * (wall_velocity.ux - mean.ux);
      mean.uy += wall_velocity.share * (wall_velocity.uy - mean.uy);
      // Of neighbours, the non-equilibrium part contains half of the force.
      if (count == 0.f) mean = before.with_half_force(mean);
    }
    for (int q = 0; q < lbm_links; ++q) g.set(q, i, j, is ? 0.f : lbm_equilibrium(q, mean) + beyond[q]);
  }
};

// Whether diagonal link q of cell (i, j), which comes from a fluid cell, passes between two walls that touch at a
// corner. Nothing flows there: such a link is treated as one out of a wall.
PERTURB_HD inline bool passes_corner(const StepParams& params, const View2D<const std::uint8_t>& wall, int q, int i,
                                     int j) {
  return q > 4 && wall(wrap(i - lbm_ex(q), params.width), j) != 0 && wall(i, wrap(j - lbm_ey(q), params.height)) != 0;
}

// The boundary links of a cell, for these walls (empty: none) and the sides of `params`.
PERTURB_HD inline int boundary_links_of(const StepParams& params, const View2D<const std::uint8_t>& wall, int i,
                                        int j) {
  if (!wall.empty() && wall(i, j) != 0) return all_links;
  int mask = 0;
  for (int q = 1; q < lbm_links; ++q) {
    bool marked = lbm_crossing(params, q, i, j).any;
    if (!marked && !wall.empty())
      marked = wall(wrap(i - lbm_ex(q), params.width), wrap(j - lbm_ey(q), params.height)) != 0 ||
               passes_corner(params, wall, q, i, j);
    if (marked) mask |= 1 << (q - 1);
  }
  return mask;
}

struct MarkLinks {
  StepParams params;  // for the sides
  View2D<const std::uint8_t> wall;
  View2D<std::uint8_t> links;
  PERTURB_HD void operator()(int i, int j) const {
    links(i, j) = static_cast<std::uint8_t>(boundary_links_of(params, wall, i, j));
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
  Copies copies;
  float radius, amount;
  bool hold;  // raise to at least `amount`, instead of adding
  int first_i, first_j;
  PERTURB_HD void operator()(int a, int b) const {
    const int i = first_i + a, j = first_j + b;
    if (walls.at(i, j)) return;
    const float share = exponential(-copies.distance2(stroke, i, j) / (radius * radius));
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

  // The velocity at a point, from the lower left corner of cell (i, j).
  PERTURB_HD Moments velocity_at(int i, int j, float x, float y) const {
    // Of a flow that is no longer finite: carry() finds no origin with such a velocity.
    constexpr float far = 1e9f;
    if (!(fabsf(x) < far && fabsf(y) < far)) return {0.f, x, y};
    i += static_cast<int>(floorf(x));
    j += static_cast<int>(floorf(y));
    i = wrap_x ? wrap(i, from.width) : clamp_index(i, from.width);
    j = wrap_y ? wrap(j, from.height) : clamp_index(j, from.height);
    return velocity(clamp_index(i, from.width), clamp_index(j, from.height));
  }
  // The column or row of dye that represents `i`; -1 where clear fluid flows in.
  PERTURB_HD static int cell_for(int i, int count, bool wraps, bool open_low, bool open_high) {
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
    carry(i, j, velocity_at(i, j, middle(here.ux), middle(here.uy)));
  }
  // Half of the way back from the centre of a cell, at the velocity there; from the cell's lower or left side, since
  // the dye of the same flow elsewhere is then bit-identical.
  PERTURB_HD float middle(float velocity_here) const { return 0.5f - 0.5f * span * velocity_here; }
  // The new value of cell (i, j), which is fluid. `middle`: the velocity half of the way back.
  PERTURB_HD void carry(int i, int j, Moments middle) const {
    const float px = -span * middle.ux, py = -span * middle.uy;  // from the centre
    const float fx = floorf(px), fy = floorf(py), a = px - fx, b = py - fy;
    // A flow that is no longer finite has no origin.
    if (!(fabsf(px) < 1e4f && fabsf(py) < 1e4f)) {
      to(i, j) = from(i, j);
      return;
    }
    const int i0 = i + static_cast<int>(fx), j0 = j + static_cast<int>(fy);
    const int left = cell_for(i0, from.width, wrap_x, open_left, open_right),
              right = cell_for(i0 + 1, from.width, wrap_x, open_left, open_right),
              below = cell_for(j0, from.height, wrap_y, open_bottom, open_top),
              above = cell_for(j0 + 1, from.height, wrap_y, open_bottom, open_top);
    const float v00 = value(left, below), v01 = value(left, above);
    const float low = v00 + a * (value(right, below) - v00), high = v01 + a * (value(right, above) - v01);
    to(i, j) = flush_subnormal(low + b * (high - low));
  }
};

// ---- the cells that an edit covers, round sides that repeat

struct Box {
  int i = 0, j = 0;  // its lower left cell
  Range2D size;

  bool empty() const { return size.width <= 0 || size.height <= 0; }
};

// A box that contains all cells of the width x height grid within `reach` (cells) of a stroke.
inline Box box_around(const CellSegment& s, float reach, int width, int height) {
  const auto index = [](float at, int count) {
    return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(count)));
  };
  const int i0 = index(std::min(s.x0, s.x1) - reach, width), i1 = index(std::max(s.x0, s.x1) + reach + 1, width);
  const int j0 = index(std::min(s.y0, s.y1) - reach, height), j1 = index(std::max(s.y0, s.y1) + reach + 1, height);
  return {i0, j0, {i1 - i0, j1 - j0}};
}

// The copies of a stroke whose cells within `reach` are in the grid, and a box that contains these cells.
struct Patch {
  Copies copies;
  Box box;
};
inline Patch patch_around(const CellSegment& s, float reach, const RepeatingGrid& grid) {
  Patch patch{grid.copies_of(std::min(s.x0, s.x1) - reach, std::max(s.x0, s.x1) + reach, std::min(s.y0, s.y1) - reach,
                             std::max(s.y0, s.y1) + reach),
              box_around(s, reach, grid.width, grid.height)};
  if (patch.copies.along_x()) {
    patch.box.i = 0;
    patch.box.size.width = grid.width;
  }
  if (patch.copies.along_y()) {
    patch.box.j = 0;
    patch.box.size.height = grid.height;
  }
  return patch;
}

}  // namespace perturb::lbm
