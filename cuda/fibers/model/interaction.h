// Interaction of all pairs of fibers: Theta, the storage order of its tensors, and products with it, on either backend.
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

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

constexpr int device_tile = 32, device_splits = 4;

struct Layout {
  int fibers = 0, tile = 1, tiles = 0;
  bool mirrored = true;
  int order = 5;  // K: tensors are kept for n, k = 0..K
  // Parts of a tile's rows, each with its own partial sums over columns: 1, or device_splits on a device for few
  // tiles.
  int splits = 1;

  Layout() = default;
  Layout(int count, int tile_size, bool mirror, int k)
      : fibers(count), tile(tile_size), tiles((count + tile_size - 1) / tile_size), mirrored(mirror), order(k) {}

  PERTURB_HD int components() const { return tensor * (order + 1) * (order + 1); }
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
      i = static_cast<int>(pair / tiles);
      j = static_cast<int>(pair % tiles);
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
  PERTURB_HD int sums_of_pair() const { return mirrored ? 1 + splits : 1; }
  std::size_t partials() const {
    return static_cast<std::size_t>(tile_pairs()) * sums_of_pair() * tile * 3 * (order + 1);
  }
  PERTURB_HD std::size_t partial_of_row(long long pair, int row) const {
    return (static_cast<std::size_t>(pair) * sums_of_pair() * tile + row) * 3 * (order + 1);
  }
  PERTURB_HD std::size_t partial_of_column(long long pair, int split, int column) const {
    return ((static_cast<std::size_t>(pair) * sums_of_pair() + 1 + split) * tile + column) * 3 * (order + 1);
  }
  // Of one tensor's component.
  PERTURB_HD static constexpr int component(int order, int n, int k) { return (n * (order + 1) + k) * tensor; }
};

// Rows n and columns k of a product.
enum class Product {
  weights,    // n = 0..K, k = 0: effect of the fibers' weights; the right-hand side
  forces,     // n = 1..K, k = 1..K: the operator of the linear system
  velocities  // n = 0, 1, k = 1..K: effect of the solved forces on position and direction
};

template <Product product, int K>
struct ProductRange {
  static constexpr int n0 = product == Product::forces ? 1 : 0;
  static constexpr int n1 = product == Product::velocities ? 1 : K;
  static constexpr int k0 = product == Product::weights ? 0 : 1;
  static constexpr int k1 = product == Product::weights ? 0 : K;
};

// Two fibers; a tensor's outer rule is on `m`.
struct Pair {
  int m, l;
};

// The outer rule: nodes s_q on [-1, 1] and weights times P_n(s_q).
struct FiberRule {
  int points = 0;
  double node[max_points];
  double weight[max_points][max_terms + 1];
};

// Composite Gauss-Legendre: `subintervals` equal parts of `points` nodes each.
FiberRule make_fiber_rule(int subintervals, int points);

// ---- one pair of fibers, on both backends

// From the centre of l to the centre of m, or to its nearest image in a periodic box.
PERTURB_HD inline Vector3<double> fiber_separation(const double* m, const double* l, double box) {
  Vector3<double> d{m[0] - l[0], m[1] - l[1], m[2] - l[2]};
  if (box > 0) {
    d.x -= box * ::rint(d.x / box);
    d.y -= box * ::rint(d.y / box);
    d.z -= box * ::rint(d.z / box);
  }
  return d;
}

// Share of a pair in a product, for a fiber m and one or several fibers l. `load(n, k, g)` fetches Theta_ml^{nk}; f_m,
// f_l: coefficients; y_m, y_l: added to the sums. With `mirrored`, y_l gets Theta_lm^{nk} f_m^k = Theta_ml^{kn} f_m^k.
template <Product product, int K, bool mirrored, class Number, class Load>
PERTURB_HD inline void pair_product(const Load& load, const Vector3<Number> (&f_m)[K + 1],
                                    const Vector3<Number> (&f_l)[K + 1], Vector3<Number> (&y_m)[K + 1],
                                    Vector3<Number> (&y_l)[K + 1]) {
  using Range = ProductRange<product, K>;
  PERTURB_UNROLL
  for (int n = 0; n <= K; ++n) {
    PERTURB_UNROLL
    for (int k = 0; k <= K; ++k) {
      const bool to_m = n >= Range::n0 && n <= Range::n1 && k >= Range::k0 && k <= Range::k1;
      const bool to_l = mirrored && k >= Range::n0 && k <= Range::n1 && n >= Range::k0 && n <= Range::k1;
      if (!to_m && !to_l) continue;
      Number g[tensor];
      load(n, k, g);
      if (to_m) y_m[n] = add_product(g, f_l[k], y_m[n]);
      if (to_l) y_l[k] = add_product(g, f_m[n], y_l[k]);
    }
  }
}

// ---- all pairs

// Input of the interaction: pointers into the backend's memory, [fibers][3].
struct Poses {
  const double* position = nullptr;
  const double* tangent = nullptr;
  double box = 0;  // edge of the periodic box; 0: free space
  // For fibers of unequal length: half-lengths [fibers], and tangents times these. Null if all are 1: then kernels
  // without lengths are used.
  const double* half_length = nullptr;
  const double* half_axis = nullptr;
  PERTURB_HD bool unequal() const { return half_length != nullptr; }
  PERTURB_HD const double* half_axes() const { return unequal() ? half_axis : tangent; }
};

enum class Kernel {
  stable,     // closed forms from starts that do not cancel
  recursion,  // the paper's closed forms, and its launch
  nodes,      // sums over nodes, no matrix (model/nodes.h)
  levels      // the same with fewer nodes the farther two fibers are apart (model/levels.h)
};

// Whether a kernel needs no matrix.
inline bool sums_over_nodes(Kernel kernel) { return kernel == Kernel::nodes || kernel == Kernel::levels; }

// Consecutive tile pairs: the whole layout, or a part if the whole does not fit.
struct Part {
  long long first = 0, count = 0;
};

// Theta_ml^{nk} of the pairs of `part`, n, k = 0..order, into `theta`, which begins with the first tile pair of the
// part. Entries of pairs outside the layout are not written: they stay zero. `points`: scratch for the kernel
// `recursion` on CUDA, of recursion_numbers; else empty.
template <class Real>
void interaction(Backend& backend, Kernel kernel, const Layout& layout, Part part, const Poses& poses,
                 const FiberRule& rule, double doublet, View1D<Real> points, Real* theta);

// Number of values that `recursion` on CUDA keeps between its two kernels: inner integrals at the outer points of some
// pairs.
std::size_t recursion_numbers(const Layout& layout, int points);

// The sums over l of Theta_ml^{nk} f_l^k for the rows and columns of `product`, by tile pairs into `partials`
// (layout.partials(), at the place of each tile pair). f: [fibers][order + 1][3].
template <class Real>
void fiber_product(Backend& backend, Product product, const Layout& layout, Part part, const Real* theta,
                   const double* f, double* partials);

// Fibers per tile on this backend.
int fiber_tile(const Backend& backend);
// The order K of the kernels that compute N terms: 5 or 8.
inline int fiber_order(int terms) { return terms <= 5 ? 5 : 8; }

// Registers, block and occupancy of the interaction kernel on CUDA; zero on the CPU.
LaunchShape kernel_shape(const Backend& backend, Kernel kernel, int order, bool fp32);

namespace detail {

// Implementations: kernels/cpu.cpp and kernels/kernels.cu (or kernels/no_kernels.cpp).
template <class Real>
void interaction_cpu(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, Real*);
template <class Real>
void product_cpu(Backend&, Product, const Layout&, Part, const Real*, const double*, double*);
template <class Real>
void interaction_cuda(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, Real*);
// The paper's launch: a thread for each pair and outer point, over the triangle of pairs.
template <class Real>
void recursion_cuda(Backend&, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<Real> points, Real*);
template <class Real>
void product_cuda(Backend&, Product, const Layout&, Part, const Real*, const double*, double*);
LaunchShape shape_cuda(Kernel, int order, bool fp32);
int tile_cpu();

}  // namespace detail

}  // namespace perturb::fibers
