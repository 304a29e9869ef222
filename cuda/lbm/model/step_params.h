// One step of the lattice: where the populations of a cell come from, and the functor that streams and collides.
//
// Stored are the outgoing populations of a cell (after the collision), so a step first pulls from the neighbours
// and then collides. A link that comes out of a wall or through a side gets the cell's own population of the
// opposite link (halfway bounce-back: the wall is half a cell away), so boundaries need only the cell itself.
//
// Part of the text that is compiled while the program runs (kernels/edited_rows.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cuda/core/backend/view.h"
#include "cuda/core/math/half.h"
#include "cuda/lbm/model/cell.h"
#include "cuda/lbm/model/sides.h"

namespace perturb::lbm {

// Storage of a population. FP16 is scaled so that the smallest flow still has all its eleven digits.
constexpr float half_scale = 32768.f;  // 2^15: populations up to 2 in size, exact in digits down to 2^-29
PERTURB_HD inline float lbm_read(float stored) { return stored; }
PERTURB_HD inline float lbm_read(Half stored) { return stored.value() * (1.f / half_scale); }
PERTURB_HD inline void lbm_write(float& stored, float value) { stored = value; }
PERTURB_HD inline void lbm_write(Half& stored, float value) { stored = Half::from(value * half_scale); }

// Nine planes of `height` rows each, one after the other: structure of arrays. `stride`: elements from row to row;
// `apart`: between planes, on the CPU only (reason: model/lattice.h). Device code is compiled without it: one more term
// in each address cost the kernels in 16-bit storage a seventh of their speed.
template <class T>
struct Populations {
  T* data = nullptr;
  int width = 0, height = 0, stride = 0;
  int apart = 0;

  PERTURB_HD T* row(int q, int j) const {
    T* const first =
        data + (static_cast<std::size_t>(q) * static_cast<std::size_t>(height) + static_cast<std::size_t>(j)) *
                   static_cast<std::size_t>(stride);
    if constexpr (compiled_for_device)
      return first;
    else
      return first + static_cast<std::ptrdiff_t>(q) * apart;
  }
  PERTURB_HD float at(int q, int i, int j) const { return lbm_read(row(q, j)[i]); }
  PERTURB_HD void set(int q, int i, int j, float value) const { lbm_write(row(q, j)[i], value); }
  PERTURB_HD void load(int i, int j, float (&g)[lbm_links]) const {
    if constexpr (compiled_for_device) {
      for (int q = 0; q < lbm_links; ++q) g[q] = at(q, i, j);
    } else {
      // One address for all nine, where the compiler finds no common subexpressions (WebAssembly).
      const std::ptrdiff_t plane = row(1, 0) - data;
      const T* const from = row(0, j) + i;
      for (int q = 0; q < lbm_links; ++q) g[q] = lbm_read(from[q * plane]);
    }
  }
  PERTURB_HD void store(int i, int j, const float (&g)[lbm_links]) const {
    for (int q = 0; q < lbm_links; ++q) set(q, i, j, g[q]);
  }
};

struct Side {
  Boundary kind = Boundary::periodic;
  float ux = 0, uy = 0;         // velocity of the wall or of the incoming fluid
  float outlet_relaxation = 1;  // outlet: fraction of the density's deviation from 1 that is removed per step
  bool parabolic = false;
};

// Boundary links of a cell, one byte: bit q-1 is set if link q comes out of a wall, between two walls that touch at a
// corner, or through a side that is not periodic. Exactly the walls have all eight: a fluid cell without any link to
// another is made a wall (FillHoles).
constexpr int all_links = 255;

// The first of the cells begin .. end-1 of a row that has a boundary link, or `end`. Checks eight cells at a time.
inline int next_marked_cell(const std::uint8_t* boundary_links, int begin, int end) {
  int i = begin;
  for (; i + 8 <= end; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, boundary_links + i, sizeof eight);
    if (eight != 0) break;
  }
  while (i < end && boundary_links[i] == 0) ++i;
  return i;
}

struct StepParams {
  int width = 0, height = 0;
  Rates rates;
  Side left, right, bottom, top;
  View2D<const std::uint8_t> links;  // the boundary links; empty: there are none
  bool painted = false;              // some cells are walls
};

// Which cells are walls.
struct Walls {
  View2D<const std::uint8_t> boundary_links;  // empty: none

  PERTURB_HD bool empty() const { return boundary_links.empty(); }
  PERTURB_HD bool at(int i, int j) const { return !boundary_links.empty() && boundary_links(i, j) == all_links; }
};

PERTURB_HD inline int wrap(int i, int count) { return i < 0 ? i + count : i >= count ? i - count : i; }

// The side that a link crosses. Returned by value: a pointer into a kernel's arguments would make
// every thread copy them all.
struct Crossing {
  bool any = false, along_y = false;  // whether it crosses one; whether that is the left or right one
  Side side;
};

// The side that link q of cell (i, j) crosses: at a corner the one along y, unless it is an
// outlet and the other is not.
PERTURB_HD inline Crossing lbm_crossing(const StepParams& p, int q, int i, int j) {
  const int si = i - lbm_ex(q), sj = j - lbm_ey(q);
  const Side x = si < 0 ? p.left : p.right, y = sj < 0 ? p.bottom : p.top;
  const bool through_x = (si < 0 || si >= p.width) && x.kind != Boundary::periodic;
  const bool through_y = (sj < 0 || sj >= p.height) && y.kind != Boundary::periodic;
  const bool takes_x = through_x && (!through_y || (y.kind == Boundary::outlet && x.kind != Boundary::outlet));
  return {through_x || through_y, takes_x, takes_x ? x : y};
}

// Fraction of a side's velocity at cell (i, j).
PERTURB_HD inline float side_profile(const StepParams& p, const Crossing& crossing, int i, int j) {
  if (!crossing.side.parabolic) return 1.f;
  const float s =
      (static_cast<float>(crossing.along_y ? j : i) + 0.5f) / static_cast<float>(crossing.along_y ? p.height : p.width);
  return 4.f * s * (1.f - s);
}

// Momentum term of a side for link q at cell (i, j).
PERTURB_HD inline float side_momentum_term(const StepParams& p, const Crossing& crossing, int q, int i, int j) {
  const float profile = side_profile(p, crossing, i, j);
  const float eu = static_cast<float>(lbm_ex(q)) * crossing.side.ux + static_cast<float>(lbm_ey(q)) * crossing.side.uy;
  return 6.f * lbm_weight(q) * (eu * profile);
}

// Momentum term of a wall with this velocity for link q, next to fluid of this density (Ladd 1994).
PERTURB_HD inline float wall_momentum_term(int q, float density, float ux, float uy) {
  const float eu = static_cast<float>(lbm_ex(q)) * ux + static_cast<float>(lbm_ey(q)) * uy;
  return 6.f * lbm_weight(q) * density * eu;
}

// Larger than the velocity oscillations of sound waves.
constexpr float max_free_inflow = 0.005f;
// Growth of an outlet's relaxation with the square of the density's deviation from 1.
constexpr float relaxation_gain = 5.f;

// Population that enters through an outlet along link q. `own`: the populations of the cell itself.
//
// Base value: the population that the cell sent in this direction in the previous step. A sound wave then usually
// leaves; the reflected amplitude is -(√3 - 1)/(√3 + 1) = -0.27 of the incident one. Two corrections:
// - The density relaxes to 1 with the rate `outlet_relaxation`, so that the mean pressure does not drift: the partly
//   reflecting outlet of Poinsot & Lele (1992) and Rudy & Strikwerda (1980). A rate of 1 is the non-equilibrium
//   extrapolation of Guo, Zheng & Shi (2002); it reflects every wave completely and amplifies it at low viscosity.
// - Backflow faster than `max_free_inflow` is taken from fluid at rest. A vortex that leaves would otherwise draw in an
//   undetermined amount of fluid.
// The second correction removes mass while vortices leave, and at a lower density an inlet is too fast. The rate
// therefore grows with the square of the density deviation: strong deviations are corrected, sound waves of 1 % are not
// affected.
PERTURB_HD inline float outlet_population(const Crossing& crossing, const Rates& r, const float (&own)[lbm_links],
                                          int q) {
  const Side& side = crossing.side;
  const Moments m = moments(own, -0.5f * r.force_x, -0.5f * r.force_y);
  const float eu = static_cast<float>(lbm_ex(q)) * m.ux + static_cast<float>(lbm_ey(q)) * m.uy;
  const float shape = 1.f + 3.f * eu + 4.5f * eu * eu - 1.5f * (m.ux * m.ux + m.uy * m.uy);
  const float inflow = crossing.along_y ? static_cast<float>(lbm_ex(q)) * m.ux : static_cast<float>(lbm_ey(q)) * m.uy;
  const float inflow_excess = inflow > max_free_inflow ? 3.f * (inflow - max_free_inflow) : 0.f;
  const float unclamped = side.outlet_relaxation + relaxation_gain * (m.drho * m.drho),
              relaxation = unclamped < 1.f ? unclamped : 1.f;
  return own[q] - lbm_weight(q) * (relaxation * (m.drho * shape) + inflow_excess);
}

// An inlet adds fluid at its speed even if its path is blocked; the density would then rise without limit. Up to
// inlet_free_density above a density of 1 in the adjacent cell the inlet has its full speed. Above that its speed
// falls, to zero after another inlet_density_range.
constexpr float inlet_free_density = 0.15f, inlet_density_range = 0.2f;
// Fraction of its speed that an inlet has next to a cell with these populations.
PERTURB_HD inline float inlet_share(const float (&own)[lbm_links]) {
  const float left = 1.f - (lbm_density(own) - inlet_free_density) * (1.f / inlet_density_range);
  return left < 1.f ? (left > 0.f ? left : 0.f) : 1.f;
}

// Whether boundary populations of such a side depend on more of the cell than the returning population.
PERTURB_HD constexpr bool reads_cell(Boundary kind) { return kind == Boundary::outlet || kind == Boundary::inlet; }

// The population of a link that is set in p.links; `own`: the outgoing populations of cell (i, j).
PERTURB_HD inline float boundary_population(const StepParams& p, const float (&own)[lbm_links], int q, int i, int j) {
  const Crossing crossing = lbm_crossing(p, q, i, j);
  if (!crossing.any) return own[lbm_opposite(q)];
  if (crossing.side.kind == Boundary::outlet) return outlet_population(crossing, p.rates, own, q);
  const float push = side_momentum_term(p, crossing, q, i, j);
  return own[lbm_opposite(q)] + (crossing.side.kind == Boundary::inlet ? inlet_share(own) * push : push);
}
// Replaces the arrived populations of all boundary links. One by one: an index known only at run time would put the
// populations into memory.
PERTURB_HD inline void apply_boundaries(const StepParams& p, const float (&own)[lbm_links], int mask, int i, int j,
                                        float (&g)[lbm_links]) {
  if (mask & 1) g[1] = boundary_population(p, own, 1, i, j);
  if (mask & 2) g[2] = boundary_population(p, own, 2, i, j);
  if (mask & 4) g[3] = boundary_population(p, own, 3, i, j);
  if (mask & 8) g[4] = boundary_population(p, own, 4, i, j);
  if (mask & 16) g[5] = boundary_population(p, own, 5, i, j);
  if (mask & 32) g[6] = boundary_population(p, own, 6, i, j);
  if (mask & 64) g[7] = boundary_population(p, own, 7, i, j);
  if (mask & 128) g[8] = boundary_population(p, own, 8, i, j);
}

// The columns and rows of the neighbours from which a cell's populations come.
struct Neighbours {
  int left, right, below, above;
};

template <class T>
PERTURB_HD inline void gather_from(const Neighbours& a, const Populations<T>& from, int i, int j,
                                   float (&g)[lbm_links]) {
  g[0] = from.at(0, i, j);
  g[1] = from.at(1, a.left, j);
  g[2] = from.at(2, i, a.below);
  g[3] = from.at(3, a.right, j);
  g[4] = from.at(4, i, a.above);
  g[5] = from.at(5, a.left, a.below);
  g[6] = from.at(6, a.right, a.below);
  g[7] = from.at(7, a.right, a.above);
  g[8] = from.at(8, a.left, a.above);
}

// With all sides treated as periodic.
PERTURB_HD inline Neighbours neighbours(const StepParams& p, int i, int j) {
  return {i > 0 ? i - 1 : p.width - 1, i + 1 < p.width ? i + 1 : 0, j > 0 ? j - 1 : p.height - 1,
          j + 1 < p.height ? j + 1 : 0};
}

// Gathers the populations that arrive at cell (i, j) along links other than boundary links. Along boundary links a
// device reads invalid values, which is faster than a test; a CPU thread must not, because another thread may be
// writing them.
template <class T>
PERTURB_HD inline void gather_unmarked(const StepParams& p, const Populations<T>& from, int mask, int i, int j,
                                       float (&g)[lbm_links]) {
  const Neighbours a = neighbours(p, i, j);
  if constexpr (!compiled_for_device) {
    if (mask != 0) {
      g[0] = from.at(0, i, j);
      for (int q = 1; q < lbm_links; ++q) {
        const int x = lbm_ex(q) > 0 ? a.left : lbm_ex(q) < 0 ? a.right : i;
        const int y = lbm_ey(q) > 0 ? a.below : lbm_ey(q) < 0 ? a.above : j;
        g[q] = (mask & (1 << (q - 1))) != 0 ? 0.f : from.at(q, x, y);
      }
      return;
    }
  }
  gather_from(a, from, i, j, g);
}

// Uses the cell itself in place of neighbours beyond a side that is not periodic, which another CPU thread may be
// writing. A device reads the invalid values.
PERTURB_HD inline Neighbours neighbours_within(const StepParams& p, int i, int j) {
  Neighbours a = neighbours(p, i, j);
  if constexpr (!compiled_for_device) {
    if (i == 0 && p.left.kind != Boundary::periodic) a.left = i;
    if (i == p.width - 1 && p.right.kind != Boundary::periodic) a.right = i;
    if (j == 0 && p.bottom.kind != Boundary::periodic) a.below = j;
    if (j == p.height - 1 && p.top.kind != Boundary::periodic) a.above = j;
  }
  return a;
}

// Gathers all populations that arrive at fluid cell (i, j), from a copy of which this step writes at most this cell.
template <class T>
PERTURB_HD inline void gather(const StepParams& p, const Populations<T>& from, int mask, int i, int j,
                              float (&g)[lbm_links]) {
  gather_from(neighbours_within(p, i, j), from, i, j, g);
  if (mask == 0) return;
  float own[lbm_links];
  from.load(i, j, own);
  apply_boundaries(p, own, mask, i, j, g);
}

// The work of the paper's solid branch: reverses the populations that arrive at a wall cell (full-way bounce-back).
// Here the neighbours' steps apply the walls, so the result is never read.
template <class T>
PERTURB_HD inline void full_way_bounce_back(const StepParams& p, const Populations<T>& from, const Populations<T>& to,
                                            int i, int j) {
  float g[lbm_links];
  gather_unmarked(p, from, 0, i, j, g);
  for (int q = 0; q < lbm_links; ++q) to.set(lbm_opposite(q), i, j, g[q]);
}

// Steps one cell. Walls store zeros, the fluid at rest.
template <class T, int Features>
PERTURB_HD inline void cell_step(const StepParams& p, const Populations<T>& from, const Populations<T>& to, int i,
                                 int j) {
  const int mask = p.links.empty() ? 0 : p.links(i, j);
  float g[lbm_links];
  if (mask == all_links) {
    for (float& value : g) value = 0.f;
  } else {
    gather(p, from, mask, i, j, g);
    lbm_collide<Features>(g, p.rates);
  }
  to.store(i, j, g);
}

// The kernel `fused`, for parallel_for.
template <class T, int Features>
struct Step {
  StepParams params;
  Populations<T> from, to;

  PERTURB_HD void operator()(int i, int j) const { cell_step<T, Features>(params, from, to, i, j); }

  // CPU version: all cells of a row are computed as interior fluid, in vector instructions;
  // the special ones are then computed again.
  void row(int begin, int end, int j) const {
    const int first = begin > 0 ? begin : 1, last = end < params.width ? end : params.width - 1;
    if (begin == 0) (*this)(0, j);
    inner(first, last, j);
    if (end == params.width && end > 1) (*this)(end - 1, j);
    if (params.links.empty()) return;
    const std::uint8_t* boundary_links = params.links.row(j);
    for (int i = first; i < last; ++i)
      if (boundary_links[i] != 0) (*this)(i, j);
  }

 private:
  PERTURB_FLAT void inner(int first, int last, int j) const {
    const int height = params.height, below = j > 0 ? j - 1 : height - 1, above = j + 1 < height ? j + 1 : 0;
    const T *in0 = from.row(0, j), *in1 = from.row(1, j), *in2 = from.row(2, below), *in3 = from.row(3, j),
            *in4 = from.row(4, above), *in5 = from.row(5, below), *in6 = from.row(6, below), *in7 = from.row(7, above),
            *in8 = from.row(8, above);
    T *out0 = to.row(0, j), *out1 = to.row(1, j), *out2 = to.row(2, j), *out3 = to.row(3, j), *out4 = to.row(4, j),
      *out5 = to.row(5, j), *out6 = to.row(6, j), *out7 = to.row(7, j), *out8 = to.row(8, j);
    const Rates rates = params.rates;
    for (int begin = first; begin < last; begin += lbm_piece) {
      const int end = begin + lbm_piece < last ? begin + lbm_piece : last;
      float loads[lbm_piece];
      int exceeds = 0;
      PERTURB_INDEPENDENT_ITERATIONS
      for (int i = begin; i < end; ++i) {
        float g[lbm_links] = {lbm_read(in0[i]),     lbm_read(in1[i - 1]), lbm_read(in2[i]),
                              lbm_read(in3[i + 1]), lbm_read(in4[i]),     lbm_read(in5[i - 1]),
                              lbm_read(in6[i + 1]), lbm_read(in7[i + 1]), lbm_read(in8[i - 1])};
        const float load = lbm_collide_freely<Features>(g, rates);
        loads[i - begin] = load;
        exceeds |= lbm_exceeds(load) ? 1 : 0;
        lbm_write(out0[i], g[0]);
        lbm_write(out1[i], g[1]);
        lbm_write(out2[i], g[2]);
        lbm_write(out3[i], g[3]);
        lbm_write(out4[i], g[4]);
        lbm_write(out5[i], g[5]);
        lbm_write(out6[i], g[6]);
        lbm_write(out7[i], g[7]);
        lbm_write(out8[i], g[8]);
      }
      if (exceeds != 0)
        for (int i = begin; i < end; ++i)
          if (lbm_exceeds(loads[i - begin])) (*this)(i, j);
    }
  }
};

}  // namespace perturb::lbm
