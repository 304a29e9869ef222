// Work of one thread of the paper's extension, on either backend.
#pragma once

#include "cuda/fibers/kernels/pair.h"
#include "cuda/fibers/model/extension.h"

namespace perturb::fibers {

// The inner integral at one outer point: item `item` of column m, at `node` of fiber m. Number c goes to to[c·slots].
PERTURB_HD inline void extension_point(const PaperGrid& grid, const Poses& poses, double node, double doublet, int m,
                                       int item, double* to, std::size_t slots) {
  const int l = m + 1 + item / grid.points;
  const std::size_t at_m = 3 * static_cast<std::size_t>(m), at_l = 3 * static_cast<std::size_t>(l);
  const double *const tm = poses.tangent + at_m, *const tl = poses.tangent + at_l;
  const Vector3<double> r = add_scaled(fiber_separation(poses.position + at_m, poses.position + at_l, poses.box), node,
                                       Vector3<double>{tm[0], tm[1], tm[2]});
  double g[Extension::order + 1][fiber_tensor];
  fiber_inner_integral<FiberStarts::published, Extension::order>(r, Vector3<double>{tl[0], tl[1], tl[2]}, doublet,
                                                                 fiber_last_moment, g);
  PERTURB_UNROLL
  for (int k = 0; k <= Extension::order; ++k) {
    PERTURB_UNROLL
    for (int c = 0; c < fiber_tensor; ++c) to[static_cast<std::size_t>(k * fiber_tensor + c) * slots] = g[k][c];
  }
}

// The outer sums of one column of numbers of one pair of the chunk.
template <class Rule>
PERTURB_HD inline void extension_sum(const PaperGrid& grid, const Rule& rule, std::size_t slots,
                                     const double* integrals, int column, long long pair, double* results) {
  int m = 0, l = 0;
  grid.pair_of(pair, m, l);
  const double* const from = integrals + static_cast<std::size_t>(column) * slots + grid.slot(m, 0) +
                             static_cast<std::size_t>(l - m - 1) * grid.points;
  double sum[Extension::order + 1] = {};
  for (int q = 0; q < grid.points; ++q) {
    const double value = from[q];
    PERTURB_UNROLL
    for (int n = 0; n <= Extension::order; ++n) sum[n] = multiply_add(rule.weight[q][n], value, sum[n]);
  }
  const std::size_t pairs = static_cast<std::size_t>(grid.pairs());
  PERTURB_UNROLL
  for (int n = 0; n <= Extension::order; ++n)
    results[static_cast<std::size_t>(n * Extension::columns + column) * pairs + static_cast<std::size_t>(pair)] =
        sum[n];
}

}  // namespace perturb::fibers
