// Where between two cells a wall begins. Of each cell the distance of its centre from the outline of the walls is kept,
// above zero in the fluid, so that on a link from fluid to wall the outline lies where a straight line between the two
// distances is zero: exact for straight outlines, off by less than an eighth of the curvature for curved ones.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/host_device.h"
#include "cuda/core/view.h"
#include "cuda/lbm/lbm_pass.h"
#include "cuda/lbm/lbm_walls.h"

namespace perturb {

// Distances are kept as whole numbers of 1/16000 cell. At two cells and more they are "far": not known, as of walls out
// of an image, whose outlines are those of whole cells.
constexpr float lbm_outline_unit = 1.f / 16000.f;
constexpr std::int16_t lbm_outline_far = 32000;

// `inside`: the cell is wall; it decides where rounding or an approximate distance would not.
PERTURB_HD inline std::int16_t lbm_outline_of(float distance, bool inside) {
  constexpr float most = lbm_outline_far;
  const float units = inside ? -distance / lbm_outline_unit : distance / lbm_outline_unit;
  const float kept = units >= 1.f ? (units < most ? units + 0.5f : most) : 1.f;  // also where it is no number
  const auto whole = static_cast<std::int16_t>(kept);
  return static_cast<std::int16_t>(inside ? -whole : whole);
}

// The outlines as kernels see them. Interpolated bounce-back by the central linear scheme of Ginzburg, Verhaeghe &
// d'Humières (2008), whose wall lies at the same place for every viscosity while Λ stays: the link's population of this
// cell, that of the next cell of fluid and the one that comes back between them, all as they left in the last step. So
// the answer can be written where the plain bounce-back finds it, before the step.
struct LbmCurve {
  View2D<const std::int16_t> outline;  // empty: outlines are those of whole cells, and the wall begins half-way
  LbmWalls walls;
  bool wrap_x = false, wrap_y = false;

  PERTURB_HD bool empty() const { return outline.empty(); }
  // Cell (i, j), or the one of the other end that stands for it; whether there is one.
  PERTURB_HD bool reach(int& i, int& j) const {
    if (wrap_x) i = lbm_wrap(i, outline.width);
    if (wrap_y) j = lbm_wrap(j, outline.height);
    return i >= 0 && i < outline.width && j >= 0 && j < outline.height;
  }
  // The share of the way from the centre of cell (i, j) against link q, which comes out of a wall, to where it begins.
  PERTURB_HD float share(int q, int i, int j) const {
    constexpr float half_way = 0.5f;
    if (outline.empty()) return half_way;
    int a = i - lbm_ex(q), b = j - lbm_ey(q);
    if (!reach(a, b)) return half_way;
    const int here = outline(i, j), there = outline(a, b);
    const bool known = here > 0 && here < lbm_outline_far && there < 0 && there > -lbm_outline_far;
    if (!known) return half_way;
    // Without a cell of fluid on the other side there is nothing to take the answer from.
    int c = i + lbm_ex(q), d = j + lbm_ey(q);
    if (!reach(c, d) || walls.at(c, d)) return half_way;
    return static_cast<float>(here) / static_cast<float>(here - there);
  }
  // What arrives along link q, which comes out of a wall at rest.
  template <class T>
  PERTURB_HD float answer(const LbmPopulations<T>& g, int q, int i, int j) const {
    const int o = lbm_opposite(q);
    const float twice = 2.f * share(q, i, j), mixed = (1.f - twice) / (1.f + twice);
    int a = i + lbm_ex(q), b = j + lbm_ey(q);
    if (mixed == 0.f || !reach(a, b)) return g.at(o, i, j);
    return g.at(o, i, j) + mixed * (g.at(o, a, b) - g.at(q, i, j));
  }
  // How much more than half-way such a wall's own velocity counts.
  PERTURB_HD float push_factor(int q, int i, int j) const { return 2.f / (1.f + 2.f * share(q, i, j)); }
};

// Takes the outline of a body along, which has moved by whole cells to these; behind it there is none. [height][width].
void lbm_move_outline(std::vector<std::int16_t>& outline, int width, int height, const std::vector<LbmCell>& body,
                      int by_i, int by_j);

}  // namespace perturb
