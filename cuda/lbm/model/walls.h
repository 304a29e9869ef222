// Walls in host memory and their edits (one byte a cell, row-major, 0 is fluid), and their outlines.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Darkness of the image, stretched over width x height cells and averaged over each (brightness, with `invert`): from 0
// to `most`.
std::vector<float> shades_from_image(const GreyImage& image, double max_shade, bool invert, int width, int height);

using Cell = std::pair<int, int>;  // column, row

// The cells of the connected wall at cell (i, j), also round sides that repeat; empty if there is fluid.
std::vector<Cell> body_at(const std::vector<std::uint8_t>& wall, const RepeatingGrid& grid, int i, int j);

// Moves the connected wall at cell (i, j) by whole cells and returns its new cells. Returns an empty list if there is
// none or it would leave the domain; `wall` is then not valid.
std::vector<Cell> lbm_move_body(std::vector<std::uint8_t>& wall, const RepeatingGrid& grid, int i, int j, int by_i,
                                int by_j);

// ---- outlines: where between two cells a wall begins. Stores for each cell the distance of its centre from the
// outline, positive in the fluid; on a link from fluid to wall the outline is where the distance is zero.

// Distances are stored as integers in units of 1/16000 cell. From two cells on they are "far": unknown, as for walls
// from an image, whose outlines are those of whole cells.
constexpr float outline_unit = 1.f / 16000.f;
constexpr std::int16_t outline_far = 32000;

// `inside`: the cell is wall. It decides the sign where rounding or an approximate distance would give the wrong one.
PERTURB_HD inline std::int16_t outline_of(float distance, bool inside) {
  constexpr float most = outline_far;
  const float units = inside ? -distance / outline_unit : distance / outline_unit;
  const float kept = units >= 1.f ? (units < most ? units + 0.5f : most) : 1.f;  // also if not a number
  const auto whole = static_cast<std::int16_t>(kept);
  return static_cast<std::int16_t>(inside ? -whole : whole);
}

// Fraction of the link from one cell to the next at which the distance is zero. Inputs: the distances of these two
// cells, positive and negative, and of the cell behind the first. Result: the root of the parabola through them, by one
// Newton step from the root of the straight line. A round outline deviates from the line by up to an eighth of its
// curvature. Where the distances bend more than an outline wider than a few cells (a corner), the line's root is used.
PERTURB_HD inline float outline_share(int here, int there, int behind) {
  const auto rise = static_cast<float>(here - there), bend = static_cast<float>(behind - 2 * here + there);
  const float line = static_cast<float>(here) / rise;
  if (multiply_add(4.f, bend, -rise) > 0.f || multiply_add(4.f, bend, rise) < 0.f) return line;
  const float root = line - 0.5f * bend * line * (1.f - line) / (rise + bend * (0.5f - line));
  return root > 0.f ? (root < 1.f ? root : 1.f) : 0.f;
}

// The outlines as kernels use them. With three fluid cells behind the wall the boundary population is the
// multi-reflection of Ginzburg & d'Humières (2003), else the central linear scheme of Ginzburg, Verhaeghe & d'Humières
// (2008). Both combine outgoing populations of the last step along this link and its opposite, so the boundary
// population can be written before the step, where the plain bounce-back reads it.
//
// Let U(s) be half the difference of the two populations' equilibria at the distance s from the wall, and the cells
// lie at δ, δ + 1 and δ + 2. The linear scheme is exact for U = s, the multi-reflection for U = s² too: it adds
// 4 Λ₋ g/(1 + δ)² with g = -Λ₊ U'', the change of that half difference by collisions; here U'' is the second difference
// along the link, and Λ₋ Λ₊ = Λ. So walls lie where they were drawn for every viscosity and every Λ.
struct WallCurve {
  View2D<const std::int16_t> outline;  // empty: outlines are those of whole cells, and the wall begins half-way
  Walls walls;
  bool wrap_x = false, wrap_y = false;
  float magic = 0.25f;  // Λ: that of the collision

  PERTURB_HD bool empty() const { return outline.empty(); }
  // Replaces cell (i, j) by its periodic image if needed; returns whether there is one.
  PERTURB_HD bool reach(int& i, int& j) const {
    if (wrap_x) i = wrap(i, outline.width);
    if (wrap_y) j = wrap(j, outline.height);
    return i >= 0 && i < outline.width && j >= 0 && j < outline.height;
  }
  // Fraction of the distance from the centre of cell (i, j) against link q, which comes out of a wall, to where it
  // begins.
  PERTURB_HD float share(int q, int i, int j) const {
    constexpr float half_way = 0.5f;
    if (outline.empty()) return half_way;
    int a = i - lbm_ex(q), b = j - lbm_ey(q);
    if (!reach(a, b)) return half_way;
    const int here = outline(i, j), there = outline(a, b);
    const bool known = here > 0 && here < outline_far && there < 0 && there > -outline_far;
    if (!known) return half_way;
    // Without a fluid cell on the other side there is nothing to interpolate from.
    int c = i, d = j;
    if (!step_back(q, c, d)) return half_way;
    const int behind = outline(c, d);
    return outline_share(here, there, behind > 0 && behind < outline_far ? behind : 2 * here - there);
  }
  // A link out of a wall: the fluid cells behind its cell, and the weights of their populations.
  struct Link {
    int count = 0;  // of these cells, up to three; 0: half-way
    int i1 = 0, j1 = 0, i2 = 0, j2 = 0;
    float near = 0, far = 0, bend = 0;
  };
  PERTURB_HD Link link(int q, int i, int j) const {
    const float at = share(q, i, j);
    Link link = behind(q, i, j);
    if (at == 0.5f) link.count = 0;
    if (link.count < 3) {
      link.near = (1.f - 2.f * at) / (1.f + 2.f * at);
      return link;
    }
    const float share_of = 1.f / ((1.f + at) * (1.f + at));
    link.near = (1.f - 2.f * at * (1.f + at)) * share_of;
    link.far = at * at * share_of;
    link.bend = share_of;
    return link;
  }
  // The population that arrives along link q, out of a wall at rest. Reads no population that the boundary condition of
  // another link replaces: such an address belongs to a cell that has a wall where this one has fluid.
  template <class T>
  PERTURB_HD float population(const Populations<T>& g, int q, int i, int j) const {
    return population(g, q, i, j, link(q, i, j));
  }
  // The same for a link that is known.
  template <class T>
  PERTURB_HD float population(const Populations<T>& g, int q, int i, int j, const Link& link) const {
    const int o = lbm_opposite(q);
    if (link.count == 0) return g.at(o, i, j);
    const float to = g.at(o, i, j), from = g.at(q, i, j), to_first = g.at(o, link.i1, link.j1);
    if (link.count < 3) return to + link.near * (to_first - from);
    const float to_second = g.at(o, link.i2, link.j2), from_first = g.at(q, link.i1, link.j1),
                from_second = g.at(q, link.i2, link.j2);
    const float bend = (to - from) - 2.f * (to_first - from_first) + (to_second - from_second);
    return to + link.near * (to_first - from) + link.far * (to_second - from_first) - 2.f * magic * link.bend * bend;
  }
  // Weight of such a wall's own velocity relative to half-way bounce-back; makes both schemes exact for a constant U.
  PERTURB_HD float push_factor(int q, int i, int j) const {
    const float at = share(q, i, j);
    if (at == 0.5f || behind(q, i, j).count < 3) return 2.f / (1.f + 2.f * at);
    return 2.f / ((1.f + at) * (1.f + at));
  }

 private:
  // The fluid cells behind cell (i, j) along link q, without weights.
  PERTURB_HD Link behind(int q, int i, int j) const {
    Link cells;
    if (!step_back(q, i, j)) return cells;
    cells.count = 1;
    cells.i1 = i;
    cells.j1 = j;
    if (!step_back(q, i, j)) return cells;
    cells.count = 2;
    cells.i2 = i;
    cells.j2 = j;
    if (step_back(q, i, j)) cells.count = 3;
    return cells;
  }
  PERTURB_HD bool step_back(int q, int& i, int& j) const {
    const int from_i = i, from_j = j;
    i += lbm_ex(q);
    j += lbm_ey(q);
    if (!reach(i, j) || walls.at(i, j)) return false;
    return q <= 4 || !(walls.at(i, from_j) && walls.at(from_i, j));  // nothing flows between walls that touch
  }
};

// Moves the outline of a body that has moved by whole cells to these; clears it at the previous position.
// [height][width].
void move_outline(std::vector<std::int16_t>& outline, const RepeatingGrid& grid, const std::vector<Cell>& body,
                  int by_i, int by_j);

}  // namespace perturb::lbm
