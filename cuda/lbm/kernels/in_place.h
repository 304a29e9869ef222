// The kernel `in-place`: one copy of the populations, by the AA pattern (Bailey, Myre, Walsh, Lilja & Saar 2009).
//
// An odd step reads the populations that arrive at a cell. It writes the outgoing ones to the same addresses, each
// where it will arrive. The even step then finds all nine in its own cell. No address is used by two cells within a
// step, so the order of cells does not matter. A link that comes out of a wall has an address that no other cell uses:
// the boundary population is stored there in advance.
#pragma once

#include <cstdint>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/pack.h"  // PERTURB_UNROLL
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Boundary populations of outlets and inlets need all nine populations of their cell, which the neighbours overwrite in
// the odd step. They are therefore computed before that step, into the address that only this cell uses. Visits each
// boundary cell once, by its index along the boundary.
struct InPlaceOutlets {
  StepParams p;
  Populations<float> f;

  PERTURB_HD void prepare(int i, int j) const {
    const int mask = p.links(i, j);
    if (mask == 0 || mask == all_links) return;
    float own[lbm_links];
    f.load(i, j, own);
    for (int q = 1; q < lbm_links; ++q) {
      if (!(mask & (1 << (q - 1)))) continue;
      const Crossing crossing = lbm_crossing(p, q, i, j);
      if (crossing.any && reads_cell(crossing.side.kind))
        f.set(lbm_opposite(q), i, j, boundary_population(p, own, q, i, j));
    }
  }
  PERTURB_HD void operator()(int k) const {
    for (int end = 0; end < 2; ++end) {
      if (k < p.height) prepare(end == 0 ? 0 : p.width - 1, k);
      if (k > 0 && k < p.width - 1) prepare(k, end == 0 ? 0 : p.height - 1);
    }
  }
};

// From populations in their own cells to populations where they will arrive. `last`: no even step
// follows; boundary populations are not written.
template <int Features>
struct InPlaceOdd {
  // The outlet's formula would make the compiler use 72 registers for all cells. Only three blocks would then fit into
  // a multiprocessor, and a step would take a tenth longer.
  static constexpr int min_blocks = 4;

  StepParams p;
  Populations<float> f;
  bool last;

  PERTURB_HD void operator()(int i, int j) const {
    const int mask = p.links.empty() ? 0 : p.links(i, j);
    if (mask == all_links) return;
    float g[lbm_links];
    gather_unmarked(p, f, mask, i, j, g);
    if (mask != 0) {
      PERTURB_UNROLL
      for (int q = 1; q < lbm_links; ++q) {
        if (!(mask & (1 << (q - 1)))) continue;
        const Crossing crossing = lbm_crossing(p, q, i, j);
        g[q] = f.at(lbm_opposite(q), i, j);
        if (crossing.any && !reads_cell(crossing.side.kind)) g[q] = g[q] + side_momentum_term(p, crossing, q, i, j);
      }
    }
    lbm_collide<Features>(g, p.rates);
    float answers[lbm_links];
    if (mask != 0) {
      PERTURB_UNROLL
      for (int q = 0; q < lbm_links; ++q) answers[q] = g[lbm_opposite(q)];
      if (!last) apply_boundaries(p, g, mask, i, j, answers);
    }
    const int left = i > 0 ? i - 1 : p.width - 1, right = i + 1 < p.width ? i + 1 : 0;
    const int below = j > 0 ? j - 1 : p.height - 1, above = j + 1 < p.height ? j + 1 : 0;
    f.set(0, i, j, g[0]);
    PERTURB_UNROLL
    for (int q = 1; q < lbm_links; ++q) {
      const int a = lbm_ex(q) > 0   ? left
                    : lbm_ex(q) < 0 ? right
                                    : i,
                b = lbm_ey(q) > 0   ? below
                    : lbm_ey(q) < 0 ? above
                                    : j;
      if (mask & (1 << (q - 1)))
        f.set(lbm_opposite(q), i, j, answers[q]);
      else
        f.set(q, a, b, g[lbm_opposite(q)]);
    }
  }

  // On the CPU cells without boundary links share one loop; the others are computed one by one.
  void row(int begin, int end, int j) const {
    const std::uint8_t* boundary_links = p.links.empty() ? nullptr : p.links.row(j);
    for (int i = begin; i < end;) {
      const int marked = boundary_links ? next_marked_cell(boundary_links, i, end) : end;
      if (i == 0 && marked > 0) (*this)(0, j);
      inner(i > 0 ? i : 1, marked < p.width ? marked : p.width - 1, j);
      if (marked == p.width && marked > 1) (*this)(marked - 1, j);
      if (marked < end) (*this)(marked, j);
      i = marked + 1;
    }
  }

 private:
  // A cell writes only to the addresses that it has read, so the loop can be vectorised.
  PERTURB_FLAT void inner(int begin, int end, int j) const {
    const int below = j > 0 ? j - 1 : p.height - 1, above = j + 1 < p.height ? j + 1 : 0;
    float *const f0 = f.row(0, j), *const f1 = f.row(1, j), *const f2 = f.row(2, below), *const f3 = f.row(3, j),
                 *const f4 = f.row(4, above), *const f5 = f.row(5, below), *const f6 = f.row(6, below),
                 *const f7 = f.row(7, above), *const f8 = f.row(8, above);
    const Rates rates = p.rates;
    const auto put = [=](int i, const float(&g)[lbm_links]) {
      f0[i] = g[0];
      f1[i - 1] = g[3];
      f2[i] = g[4];
      f3[i + 1] = g[1];
      f4[i] = g[2];
      f5[i - 1] = g[7];
      f6[i + 1] = g[8];
      f7[i + 1] = g[5];
      f8[i - 1] = g[6];
    };
    for (int first = begin; first < end; first += lbm_piece) {
      const int after = first + lbm_piece < end ? first + lbm_piece : end;
      float loads[lbm_piece];
      int exceeds = 0;
      PERTURB_INDEPENDENT_ITERATIONS
      for (int i = first; i < after; ++i) {
        float g[lbm_links] = {f0[i], f1[i - 1], f2[i], f3[i + 1], f4[i], f5[i - 1], f6[i + 1], f7[i + 1], f8[i - 1]};
        const float load = lbm_collide_freely<Features>(g, rates);
        loads[i - first] = load;
        exceeds |= lbm_exceeds(load) ? 1 : 0;
        put(i, g);
      }
      if (exceeds == 0) continue;
      for (int i = first; i < after; ++i) {
        if (!lbm_exceeds(loads[i - first])) continue;
        float g[lbm_links] = {f0[i], f3[i + 1], f4[i], f1[i - 1], f2[i], f7[i + 1], f8[i - 1], f5[i - 1], f6[i + 1]};
        lbm_limit(g);
        put(i, g);
      }
    }
  }
};

template <int Features>
struct InPlaceEven {
  StepParams p;
  Populations<float> f;

  PERTURB_HD void operator()(int i, int j) const {
    const int mask = p.links.empty() ? 0 : p.links(i, j);
    if (mask == all_links) return;
    float g[lbm_links];
    PERTURB_UNROLL
    for (int q = 0; q < lbm_links; ++q) g[q] = f.at(lbm_opposite(q), i, j);
    lbm_collide<Features>(g, p.rates);
    f.store(i, j, g);
  }

  // On the CPU all fluid cells share one loop.
  void row(int begin, int end, int j) const {
    const std::uint8_t* boundary_links = p.links.empty() ? nullptr : p.links.row(j);
    for (int i = begin; i < end;) {
      int wall = boundary_links ? next_marked_cell(boundary_links, i, end) : end;
      while (wall < end && boundary_links[wall] != all_links) wall = next_marked_cell(boundary_links, wall + 1, end);
      inner(i, wall, j);
      if (wall < end) (*this)(wall, j);
      i = wall + 1;
    }
  }

 private:
  PERTURB_FLAT void inner(int begin, int end, int j) const {
    float *const f0 = f.row(0, j), *const f1 = f.row(1, j), *const f2 = f.row(2, j), *const f3 = f.row(3, j),
                 *const f4 = f.row(4, j), *const f5 = f.row(5, j), *const f6 = f.row(6, j), *const f7 = f.row(7, j),
                 *const f8 = f.row(8, j);
    const Rates rates = p.rates;
    for (int first = begin; first < end; first += lbm_piece) {
      const int after = first + lbm_piece < end ? first + lbm_piece : end;
      float loads[lbm_piece];
      int exceeds = 0;
      PERTURB_INDEPENDENT_ITERATIONS
      for (int i = first; i < after; ++i) {
        float g[lbm_links] = {f0[i], f3[i], f4[i], f1[i], f2[i], f7[i], f8[i], f5[i], f6[i]};
        const float load = lbm_collide_freely<Features>(g, rates);
        loads[i - first] = load;
        exceeds |= lbm_exceeds(load) ? 1 : 0;
        f0[i] = g[0];
        f1[i] = g[1];
        f2[i] = g[2];
        f3[i] = g[3];
        f4[i] = g[4];
        f5[i] = g[5];
        f6[i] = g[6];
        f7[i] = g[7];
        f8[i] = g[8];
      }
      if (exceeds == 0) continue;
      for (int i = first; i < after; ++i) {
        if (!lbm_exceeds(loads[i - first])) continue;
        float g[lbm_links];
        f.load(i, j, g);
        lbm_limit(g);
        f.store(i, j, g);
      }
    }
  }
};

// After an odd step without a following even step: swaps every pair of addresses that two cells share.
struct InPlaceReturn {
  StepParams p;
  Populations<float> f;

  PERTURB_HD void operator()(int i, int j) const {
    const int mask = p.links.empty() ? 0 : p.links(i, j);
    if (mask == all_links) return;
    PERTURB_UNROLL
    for (int q = 1; q < lbm_links; ++q) {
      if (q != 1 && q != 2 && q != 5 && q != 8) continue;  // one of each pair
      if (mask & (1 << (q - 1))) continue;
      const int a = wrap(i - lbm_ex(q), p.width), b = wrap(j - lbm_ey(q), p.height);
      const float there = f.at(q, a, b), here = f.at(lbm_opposite(q), i, j);
      f.set(q, a, b, here);
      f.set(lbm_opposite(q), i, j, there);
    }
  }
};

// Queues one or two steps; afterwards every population is in its own cell again.
template <int Features>
void step_in_place(Backend& backend, const StepParams& p, const Populations<float>& f, int steps) {
  const Range2D whole{p.width, p.height};
  if (reads_cell(p.left.kind) || reads_cell(p.right.kind) || reads_cell(p.bottom.kind) || reads_cell(p.top.kind))
    parallel_for(backend, "lbm.in_place_outlets", Range1D{p.width > p.height ? p.width : p.height},
                 InPlaceOutlets{p, f});
  parallel_for_shown(backend, "lbm.in_place_odd", whole, InPlaceOdd<Features>{p, f, steps == 1});
  if (steps == 1)
    parallel_for(backend, "lbm.in_place_return", whole, InPlaceReturn{p, f});
  else
    parallel_for(backend, "lbm.in_place_even", whole, InPlaceEven<Features>{p, f});
}

}  // namespace perturb::lbm
