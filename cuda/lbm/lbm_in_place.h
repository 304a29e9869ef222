// The kernel `in-place`: one copy of the populations, by the AA pattern (Bailey, Myre, Walsh, Lilja & Saar 2009).
//
// An odd step reads what arrives at a cell and writes what leaves it to the same places, each where it will arrive; so
// an even step finds everything in its own cell. No place is touched by two cells of a step, so their order means
// nothing. Links that a wall answers have a place that no other cell uses: there the answer is left, ready.
#pragma once

#include "cuda/core/pack.h"  // PERTURB_UNROLL
#include "cuda/core/parallel_for.h"
#include "cuda/lbm/lbm_pass.h"

namespace perturb::lbm {

// An outlet's answer needs all nine populations of its cell, which the odd step's neighbours overwrite. So it is made
// before that step, and left in the place that only this cell uses. Each cell of the rim once, by its place along it.
struct InPlaceOutlets {
  Pass p;
  Populations<float> f;

  PERTURB_HD void prepare(int i, int j) const {
    const int mask = p.links(i, j);
    if (mask == 0 || mask == wall_mark) return;
    float own[lbm_links];
    f.load(i, j, own);
    for (int q = 1; q < lbm_links; ++q) {
      if (!(mask & (1 << (q - 1)))) continue;
      const Crossing crossing = lbm_crossing(p, q, i, j);
      if (crossing.any && crossing.side.kind == Boundary::outlet)
        f.set(lbm_opposite(q), i, j, outlet_answer(crossing, p.rates, own, q));
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
// follows; answers are left out.
template <int Features>
struct InPlaceOdd {
  // The outlet's formula would have the compiler take 72 registers for all cells, and with three blocks at once a step
  // takes a tenth longer.
  static constexpr int least_blocks = 4;

  Pass p;
  Populations<float> f;
  bool last;

  PERTURB_HD void operator()(int i, int j) const {
    const int mask = p.links.empty() ? 0 : p.links(i, j);
    if (mask == wall_mark) return;
    float g[lbm_links];
    gather_unmarked(p, f, mask, i, j, g);
    if (mask != 0) {
      PERTURB_UNROLL
      for (int q = 1; q < lbm_links; ++q) {
        if (!(mask & (1 << (q - 1)))) continue;
        const Crossing crossing = lbm_crossing(p, q, i, j);
        g[q] = f.at(lbm_opposite(q), i, j);
        if (crossing.any && crossing.side.kind != Boundary::outlet) g[q] = g[q] + side_push(p, crossing, q, i, j);
      }
    }
    lbm_collide<Features>(g, p.rates);
    float answers[lbm_links];
    if (mask != 0) {
      PERTURB_UNROLL
      for (int q = 0; q < lbm_links; ++q) answers[q] = g[lbm_opposite(q)];
      if (!last) answer_all(p, g, mask, i, j, answers);
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
};

template <int Features>
struct InPlaceEven {
  Pass p;
  Populations<float> f;

  PERTURB_HD void operator()(int i, int j) const {
    const int mask = p.links.empty() ? 0 : p.links(i, j);
    if (mask == wall_mark) return;
    float g[lbm_links];
    PERTURB_UNROLL
    for (int q = 0; q < lbm_links; ++q) g[q] = f.at(lbm_opposite(q), i, j);
    lbm_collide<Features>(g, p.rates);
    f.store(i, j, g);
  }
};

// After an odd step without an even one: every pair of places that two cells share is exchanged.
struct InPlaceReturn {
  Pass p;
  Populations<float> f;

  PERTURB_HD void operator()(int i, int j) const {
    const int mask = p.links.empty() ? 0 : p.links(i, j);
    if (mask == wall_mark) return;
    PERTURB_UNROLL
    for (int q = 1; q < lbm_links; ++q) {
      if (q != 1 && q != 2 && q != 5 && q != 8) continue;  // one of each pair
      if (mask & (1 << (q - 1))) continue;
      const int a = wrap(i - lbm_ex(q), p.width), b = wrap(j - lbm_ey(q), p.height);
      const float there = f.at(q, a, b), here = f.at(lbm_opposite(q), i, j);
      f.set(q, a, b, here), f.set(lbm_opposite(q), i, j, there);
    }
  }
};

// One or two steps, queued; afterwards every population is in its own cell again.
template <int Features>
void step_in_place(Backend& backend, const Pass& p, const Populations<float>& f, int steps) {
  const Range2D whole{p.width, p.height};
  const auto is_outlet = [](const Side& side) { return side.kind == Boundary::outlet; };
  if (is_outlet(p.left) || is_outlet(p.right) || is_outlet(p.bottom) || is_outlet(p.top))
    parallel_for(backend, "lbm.in_place_outlets", Range1D{p.width > p.height ? p.width : p.height},
                 InPlaceOutlets{p, f});
  parallel_for(backend, "lbm.in_place_odd", whole, InPlaceOdd<Features>{p, f, steps == 1});
  if (steps == 1)
    parallel_for(backend, "lbm.in_place_return", whole, InPlaceReturn{p, f});
  else
    parallel_for(backend, "lbm.in_place_even", whole, InPlaceEven<Features>{p, f});
}

}  // namespace perturb::lbm
