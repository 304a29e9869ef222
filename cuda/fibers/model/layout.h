// Storage order of the interaction tensors of pairs, and the sums over pairs that the solver needs.
//
// Fibers are distributed to tiles of `tile` (a warp's lanes on a GPU, a vector register's on a CPU). For a pair of
// tiles (I, J) and a fiber m of I, the tensors Theta_ml^{nk} with the fibers l of J are stored side by side, `tile`
// consecutive numbers for each of the 6 (K+1)² components: a warp reads whole lines, a CPU whole registers. Tensors of
// the same fiber or beyond the last one are zero, so that sums need no test.
//
// Mirrored (each pair once, the outer rule on the fiber of lower index): tile pairs I <= J, fibers m < l, and
// Theta_lm^{nk} = Theta_ml^{kn} gives the other direction. Both ways: all tile pairs, all l != m.
#pragma once

#include <cstddef>

#include "cuda/core/backend/host_device.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

struct FiberLayout {
  int fibers = 0, tile = 1, tiles = 0;
  bool mirrored = true;
  int order = 5;  // K: tensors are kept for n, k = 0..K

  FiberLayout() = default;
  FiberLayout(int count, int tile_size, bool mirror, int k)
      : fibers(count), tile(tile_size), tiles((count + tile_size - 1) / tile_size), mirrored(mirror), order(k) {}

  PERTURB_HD int components() const { return fiber_tensor * (order + 1) * (order + 1); }
  PERTURB_HD long long tile_pairs() const {
    return mirrored ? static_cast<long long>(tiles) * (tiles + 1) / 2 : static_cast<long long>(tiles) * tiles;
  }
  PERTURB_HD long long tile_pair(int i, int j) const {
    return mirrored ? static_cast<long long>(i) * tiles - static_cast<long long>(i) * (i - 1) / 2 + (j - i)
                    : static_cast<long long>(i) * tiles + j;
  }
  // The tiles of a pair by its number.
  PERTURB_HD void tiles_of(long long pair, int& i, int& j) const {
    if (!mirrored) {
      i = static_cast<int>(pair / tiles), j = static_cast<int>(pair % tiles);
      return;
    }
    // Row i begins at i·tiles - i(i-1)/2; the root is correct up to rounding.
    const double b = tiles + 0.5;
    i = static_cast<int>(b - ::sqrt(b * b - 2.0 * static_cast<double>(pair)));
    while (i > 0 && tile_pair(i, i) > pair) --i;
    while (i + 1 < tiles && tile_pair(i + 1, i + 1) <= pair) ++i;
    j = i + static_cast<int>(pair - tile_pair(i, i));
  }
  // The first number of fiber m = I·tile + row of tile pair `pair`.
  PERTURB_HD std::size_t row(long long pair, int row_of_tile) const {
    return (static_cast<std::size_t>(pair) * tile + row_of_tile) * components() * tile;
  }
  PERTURB_HD bool holds(int m, int l) const { return m < fibers && l < fibers && (mirrored ? m < l : m != l); }

  std::size_t numbers() const { return static_cast<std::size_t>(tile_pairs()) * tile * components() * tile; }
  // Partial sums of a product: for each tile pair those of its rows and (mirrored) its columns.
  std::size_t partials() const {
    return static_cast<std::size_t>(tile_pairs()) * (mirrored ? 2 : 1) * tile * 3 * (order + 1);
  }
  PERTURB_HD std::size_t partial(long long pair, bool column, int fiber_of_tile) const {
    return ((static_cast<std::size_t>(pair) * (mirrored ? 2 : 1) + (column ? 1 : 0)) * tile + fiber_of_tile) * 3 *
           (order + 1);
  }
  // Of one tensor's component.
  PERTURB_HD static constexpr int component(int order, int n, int k) { return (n * (order + 1) + k) * fiber_tensor; }
};

// Rows n and columns k of a product.
enum class FiberProduct {
  weights,    // n = 0..K, k = 0: effect of the fibers' weights; the right-hand side
  forces,     // n = 1..K, k = 1..K: the operator of the linear system
  velocities  // n = 0, 1, k = 1..K: effect of the solved forces on position and direction
};

template <FiberProduct product, int K>
struct ProductRange {
  static constexpr int n0 = product == FiberProduct::forces ? 1 : 0;
  static constexpr int n1 = product == FiberProduct::velocities ? 1 : K;
  static constexpr int k0 = product == FiberProduct::weights ? 0 : 1;
  static constexpr int k1 = product == FiberProduct::weights ? 0 : K;
};

// The outer rule: nodes s_q on [-1, 1] and weights times P_n(s_q).
struct FiberRule {
  int points = 0;
  double node[fiber_max_points];
  double weight[fiber_max_points][fiber_max_terms + 1];
};

// Composite Gauss-Legendre: `subintervals` equal parts of `points` nodes each.
FiberRule make_fiber_rule(int subintervals, int points);

}  // namespace perturb::fibers
