// CUDA kernels of the fibers: the interaction of all pairs, sums over nodes, and the paper's extension.
//
//   interaction   A block takes a fiber m and four partners l of a tile. Each thread takes one outer point of one pair:
//                 the closed-form inner integral, 6 (K+1) numbers (36 for K = 5), into shared memory. Then each thread
//                 takes one of those columns of one pair and sums it over the outer points with weights w_q P_n(s_q),
//                 K+1 sums at once, so that every number read from shared memory feeds K+1 multiply-adds. Four
//                 neighbouring threads have the same column of four neighbouring partners: their writes fill whole
//                 sectors. The same kernel computes the close pairs of the kernel `nodes`, four pairs of a list per
//                 block.
//   recursion     After the paper's launch: one thread for each pair and outer point, the pairs numbered along the
//                 triangle, the published starts; each thread writes its inner integral to memory. A second kernel sums
//                 them (the paper passed its results to the CPU).
//   product       A warp streams through rows of a pair of tiles, one partner per lane: one coalesced pass over the
//                 stored numbers serves both directions. Sums for m are reduced over the warp, sums for l stay in
//                 registers until the block adds them in order. With few tiles the rows of each are split over several
//                 blocks. No atomics: every run is bit-identical.
//   node sums     A warp takes one fiber as its target, so that all its lanes omit the same fibers, which a word of the
//                 mask marks 32 at a time. With 16 nodes, two lanes share a target node, and each takes half of the
//                 nodes of a source; with 8 nodes four lanes, and each takes a byte of the word. With any other number
//                 a thread takes one target node, and the nodes of eight sources at a time are in shared memory. No
//                 atomics: the partial sums of lanes and of different blocks are added in order afterwards. The near
//                 levels of the kernel `levels` are the same sums over lists of partners.
//   far sums      A thread for each target fiber, see there.
//   extension     The paper's kernel: a thread for each pair and outer point, blocks of 128 along the folded triangle.
#include <algorithm>
#include <mutex>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/fibers/model/extension.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/nodes.h"
#include "cuda/fibers/model/pair_mask.h"

namespace perturb::fibers::detail {

namespace {

constexpr int tile = device_tile;
constexpr int partners = 4;              // per block
constexpr int groups = tile / partners;  // blocks per row
constexpr int interaction_threads = 96;
constexpr int typical_points = 24;  // 8 subintervals of 3

template <class Real>
struct RuleOf {
  Real node[max_points];
  Real weight[max_points][max_terms + 1];
};

// Columns of a pair in shared memory, one outer point after the other; odd, so that columns start in different banks.
PERTURB_HD constexpr int padded(int points) { return points | 1; }

// Pairs of a block, and the destination of their numbers. Tiles: a fiber m and four partners in a row.
template <class Real>
struct TilePairs {
  Layout layout;
  long long first_pair;
  Real* theta;
  static constexpr int stride = tile;  // from one number of a pair to the next
  int m = 0, l0 = 0;
  Real* to0 = nullptr;
  // False: the layout has none of the block's pairs.
  __device__ bool begin(long long work) {
    const int group = static_cast<int>(work % groups), row = static_cast<int>(work / groups % tile);
    const long long pair = first_pair + work / (groups * tile);
    int tile_m = 0, tile_l = 0;
    layout.tiles_of(pair, tile_m, tile_l);
    m = tile_m * tile + row;
    l0 = tile_l * tile + group * partners;
    to0 = theta + layout.row(pair - first_pair, row) + group * partners;
    return m < layout.fibers && l0 < layout.fibers && !(layout.mirrored && l0 + partners - 1 <= m);
  }
  __device__ bool get(int p, int& first, int& second) const {
    first = m;
    second = l0 + p;
    return layout.holds(first, second);
  }
  __device__ Real* to(int p) const { return to0 + p; }
};

// Four pairs of a list.
template <class Real>
struct ListPairs {
  const Pair* pairs;
  int count, numbers;
  Real* theta;
  static constexpr int stride = 1;
  long long first = 0;
  __device__ bool begin(long long work) {
    first = work * partners;
    return true;
  }
  __device__ bool get(int p, int& m, int& l) const {
    if (first + p >= count) return false;
    m = pairs[first + p].m;
    l = pairs[first + p].l;
    return true;
  }
  __device__ Real* to(int p) const { return theta + static_cast<std::size_t>(first + p) * numbers; }
};

// From the outer point at `node` of fiber m to the centre of l.
template <bool unequal, class Real>
__device__ Vector3<Real> outer_point(const Poses& poses, int m, int l, Real node, Vector3<double>& separation) {
  const double* const tm = (unequal ? poses.half_axis : poses.tangent) + 3 * static_cast<std::size_t>(m);
  separation = fiber_separation(poses.position + 3 * static_cast<std::size_t>(m),
                                poses.position + 3 * static_cast<std::size_t>(l), poses.box);
  const Vector3<Real> own{static_cast<Real>(tm[0]), static_cast<Real>(tm[1]), static_cast<Real>(tm[2])};
  return add_scaled(
      Vector3<Real>{static_cast<Real>(separation.x), static_cast<Real>(separation.y), static_cast<Real>(separation.z)},
      node, own);
}
template <class Real>
__device__ Vector3<Real> tangent_of(const Poses& poses, int l) {
  const double* const tl = poses.tangent + 3 * static_cast<std::size_t>(l);
  return {static_cast<Real>(tl[0]), static_cast<Real>(tl[1]), static_cast<Real>(tl[2])};
}

// The inner integral over fiber l at `r` from its centre.
template <Starts starts, int K, bool unequal, class Real>
__device__ void inner_integral_of(const Poses& poses, int l, Vector3<Real> r, Real doublet, int first,
                                  Real (&g)[K + 1][tensor]) {
  if constexpr (unequal)
    inner_integral<starts, K>(r, tangent_of<Real>(poses, l), static_cast<Real>(poses.half_length[l]), doublet, first,
                              g);
  else
    inner_integral<starts, K>(r, tangent_of<Real>(poses, l), doublet, first, g);
}

// `fixed_points`: known when compiling, or 0.
template <class Pairs, int K, int fixed_points, bool unequal, class Real>
__global__ void __launch_bounds__(interaction_threads)
    interact(Pairs pairs, const Poses poses, const __grid_constant__ RuleOf<Real> rule, const int run_points,
             const Real doublet) {
  extern __shared__ double shared_raw[];
  Real* const shared = reinterpret_cast<Real*>(shared_raw);
  constexpr int columns = (K + 1) * tensor;
  const int points = fixed_points > 0 ? fixed_points : run_points, pitch = padded(points);
  if (!pairs.begin(blockIdx.x)) return;

  for (int e = static_cast<int>(threadIdx.x); e < partners * points; e += interaction_threads) {
    const int p = e / points, q = e % points;
    int m = 0, l = 0;
    if (!pairs.get(p, m, l)) continue;
    Vector3<double> d;
    const Vector3<Real> r = outer_point<unequal>(poses, m, l, rule.node[q], d);
    // The start of the recursion depends on the pair only, so that a warp does not diverge.
    double between = ::sqrt(dot(d, d)) - 1;
    if constexpr (unequal) between = (between + 1 - poses.half_length[m]) / poses.half_length[l];
    const int first = between > 0 ? first_index(between * between) : last_moment;
    Real g[K + 1][tensor];
    inner_integral_of<Starts::stable, K, unequal>(poses, l, r, doublet, first, g);
    Real* const to = shared + static_cast<std::size_t>(p) * columns * pitch + q;
#pragma unroll
    for (int k = 0; k <= K; ++k)
#pragma unroll
      for (int c = 0; c < tensor; ++c) to[(k * tensor + c) * pitch] = g[k][c];
  }
  __syncthreads();
  for (int item = static_cast<int>(threadIdx.x); item < partners * columns; item += interaction_threads) {
    const int p = item % partners, column = item / partners;
    int m = 0, l = 0;
    if (!pairs.get(p, m, l)) continue;
    const Real* const from = shared + (static_cast<std::size_t>(p) * columns + column) * pitch;
    Real sum[K + 1];
#pragma unroll
    for (int n = 0; n <= K; ++n) sum[n] = Real(0);
#pragma unroll
    for (int q = 0; q < (fixed_points > 0 ? fixed_points : points); ++q) {
      const Real value = from[q];
#pragma unroll
      for (int n = 0; n <= K; ++n) sum[n] = multiply_add(rule.weight[q][n], value, sum[n]);
    }
    Real* const to = pairs.to(p);
#pragma unroll
    for (int n = 0; n <= K; ++n) to[static_cast<std::size_t>(n * columns + column) * Pairs::stride] = sum[n];
  }
}

template <class Pairs, class Real>
using InteractKernel = void (*)(Pairs, Poses, RuleOf<Real>, int, Real);

template <class Pairs, bool unequal, class Real>
InteractKernel<Pairs, Real> interact_kernel(int order, int points) {
  if (order == 5 && points == typical_points) return interact<Pairs, 5, typical_points, unequal, Real>;
  return order == 5 ? interact<Pairs, 5, 0, unequal, Real> : interact<Pairs, 8, 0, unequal, Real>;
}
template <class Pairs, class Real>
InteractKernel<Pairs, Real> interact_kernel(int order, int points, bool unequal) {
  return unequal ? interact_kernel<Pairs, true, Real>(order, points)
                 : interact_kernel<Pairs, false, Real>(order, points);
}

constexpr int recursion_threads = 256;

// Numbering of the pairs of `recursion`: along the triangle m < l of all fibers if all are computed at once, as in the
// paper; else along the entries of tiles (some of which have no pair).
struct PairNumbers {
  Layout layout;
  Part part;
  bool triangle;
  PERTURB_HD long long count() const {
    const long long fibers = layout.fibers;
    return triangle ? fibers * (fibers - 1) / 2 : part.count * tile * tile;
  }
  // The number-th pair and the index of its numbers in `theta`; false if there is none.
  PERTURB_HD bool get(long long number, int& m, int& l, std::size_t& at) const {
    long long pair = 0;
    if (triangle) {
      // Row m begins at m·(fibers - 1) - m(m-1)/2; the root is correct up to rounding.
      const long long fibers = layout.fibers;
      const double b = static_cast<double>(fibers) - 0.5;
      long long row = static_cast<long long>(b - ::sqrt(b * b - 2.0 * static_cast<double>(number)));
      const auto begin = [fibers](long long r) { return r * (fibers - 1) - r * (r - 1) / 2; };
      while (row > 0 && begin(row) > number) --row;
      while (row + 2 < fibers && begin(row + 1) <= number) ++row;
      m = static_cast<int>(row);
      l = static_cast<int>(row + 1 + number - begin(row));
      pair = layout.tile_pair(m / tile, l / tile);
    } else {
      int tile_m = 0, tile_l = 0;
      pair = part.first + number / (tile * tile);
      layout.tiles_of(pair, tile_m, tile_l);
      const int place = static_cast<int>(number % (tile * tile));
      m = tile_m * tile + place / tile;
      l = tile_l * tile + place % tile;
    }
    at = layout.row(pair - part.first, m % tile) + static_cast<std::size_t>(l % tile);
    return layout.holds(m, l);
  }
};

// The inner integrals of pairs first .. first + count, [column][pair][point].
template <int K, bool unequal, class Real>
__global__ void __launch_bounds__(recursion_threads)
    recursion_points(const PairNumbers numbers, const long long first, const int count, const Poses poses,
                     const __grid_constant__ RuleOf<Real> rule, const int points, const Real doublet,
                     Real* const integrals) {
  const long long thread = static_cast<long long>(blockIdx.x) * recursion_threads + threadIdx.x;
  const long long all = static_cast<long long>(count) * points;
  if (thread >= all) return;
  int m = 0, l = 0;
  std::size_t at = 0;
  if (!numbers.get(first + thread / points, m, l, at)) return;
  Vector3<double> d;
  const Vector3<Real> r = outer_point<unequal>(poses, m, l, rule.node[thread % points], d);
  Real g[K + 1][tensor];
  inner_integral_of<Starts::published, K, unequal>(poses, l, r, doublet, last_moment, g);
#pragma unroll
  for (int k = 0; k <= K; ++k)
#pragma unroll
    for (int c = 0; c < tensor; ++c) integrals[(k * tensor + c) * all + thread] = g[k][c];
}

// The sums over the outer points: a thread for each column of each of those pairs.
template <int K, class Real>
__global__ void __launch_bounds__(recursion_threads)
    recursion_sums(const PairNumbers numbers, const long long first, const int count,
                   const __grid_constant__ RuleOf<Real> rule, const int points, const Real* const integrals,
                   Real* const theta) {
  constexpr int columns = (K + 1) * tensor;
  const int own = static_cast<int>(blockIdx.x * recursion_threads + threadIdx.x), column = blockIdx.y;
  if (own >= count) return;
  int m = 0, l = 0;
  std::size_t at = 0;
  if (!numbers.get(first + own, m, l, at)) return;
  const Real* const from = integrals + (static_cast<std::size_t>(column) * count + own) * points;
  Real sum[K + 1];
#pragma unroll
  for (int n = 0; n <= K; ++n) sum[n] = Real(0);
  for (int q = 0; q < points; ++q) {
    const Real value = from[q];
#pragma unroll
    for (int n = 0; n <= K; ++n) sum[n] = multiply_add(rule.weight[q][n], value, sum[n]);
  }
#pragma unroll
  for (int n = 0; n <= K; ++n) theta[at + static_cast<std::size_t>(n * columns + column) * tile] = sum[n];
}

template <class Real>
RuleOf<Real> rule_of(const FiberRule& rule) {
  RuleOf<Real> there{};
  for (int q = 0; q < rule.points; ++q) {
    there.node[q] = static_cast<Real>(rule.node[q]);
    for (int n = 0; n <= max_terms; ++n) there.weight[q][n] = static_cast<Real>(rule.weight[q][n]);
  }
  return there;
}

std::size_t interact_shared(int order, int points, std::size_t real) {
  return static_cast<std::size_t>(partners) * (order + 1) * tensor * padded(points) * real;
}

// Allows a kernel more shared memory than the default. The limit belongs to the kernel, not to the launch, so it is
// never lowered: another run in this program may be about to launch with more.
template <class Function>
void allow_shared(Function function, std::size_t bytes) {
  if (bytes <= 48 * 1024) return;
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  cudaFuncAttributes now{};
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&now, function));
  if (now.maxDynamicSharedSizeBytes < static_cast<int>(bytes))
    PERTURB_CUDA_CHECK(
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

// Fewer for the higher order: each has its sums in shared memory.
PERTURB_HD constexpr int warps_of_product(int order) { return order <= 5 ? 8 : 4; }
constexpr unsigned whole_warp = 0xffffffffu;

// `splits`: that of the layout, known when compiling so that the loop over rows unrolls.
template <Product product, int K, bool mirrored, int splits, class Real>
__global__ void __launch_bounds__(warps_of_product(K) * tile)
    multiply(const Layout layout, const Part part, const Real* const theta, const double* const f,
             double* const partials) {
  using Range = ProductRange<product, K>;
  constexpr int values = 3 * (K + 1), product_warps = warps_of_product(K);
  __shared__ double f_rows[tile * values];
  __shared__ double y_lanes[product_warps][values][tile + 1];
  const long long pair = part.first + blockIdx.x;
  int tile_m = 0, tile_l = 0;
  layout.tiles_of(pair, tile_m, tile_l);
  const int lane = static_cast<int>(threadIdx.x) % tile, warp = static_cast<int>(threadIdx.x) / tile;
  for (int v = static_cast<int>(threadIdx.x); v < tile * values; v += product_warps * tile) {
    const std::size_t at = static_cast<std::size_t>(tile_m) * tile * values + v;
    f_rows[v] = tile_m * tile + v / values < layout.fibers ? f[at] : 0.0;
  }
  Vector3<double> f_l[K + 1], y_l[K + 1];
  const int l = tile_l * tile + lane;
#pragma unroll
  for (int k = 0; k <= K; ++k) {
    y_l[k] = {0, 0, 0};
    f_l[k] = {0, 0, 0};
    if (l < layout.fibers && k >= Range::k0 && k <= Range::k1) {
      const double* const own = f + static_cast<std::size_t>(l) * values + 3 * k;
      f_l[k] = {own[0], own[1], own[2]};
    }
  }
  __syncthreads();
  constexpr int rows_of_split = tile / splits;
  const int split = static_cast<int>(blockIdx.y);
  for (int row_of_split = warp; row_of_split < rows_of_split; row_of_split += product_warps) {
    const int row = split * rows_of_split + row_of_split;
    double* const to = partials + layout.partial_of_row(pair, row);
    Vector3<double> f_m[K + 1], y_m[K + 1];
#pragma unroll
    for (int k = 0; k <= K; ++k) {
      y_m[k] = {0, 0, 0};
      f_m[k] = {f_rows[row * values + 3 * k], f_rows[row * values + 3 * k + 1], f_rows[row * values + 3 * k + 2]};
    }
    const Real* const tensors = theta + layout.row(blockIdx.x, row) + lane;
    const auto load = [tensors](int n, int k, double(&g)[tensor]) {
#pragma unroll
      for (int c = 0; c < tensor; ++c)
        g[c] = static_cast<double>(__ldcs(tensors + (Layout::component(K, n, k) + c) * tile));
    };
    pair_product<product, K, mirrored>(load, f_m, f_l, y_m, y_l);
    // The sum over the lanes, in a tree whose shape never changes.
#pragma unroll
    for (int n = Range::n0; n <= Range::n1; ++n) {
      double sum[3] = {y_m[n].x, y_m[n].y, y_m[n].z};
#pragma unroll
      for (int c = 0; c < 3; ++c) {
#pragma unroll
        for (int half = tile / 2; half > 0; half /= 2) sum[c] += __shfl_xor_sync(whole_warp, sum[c], half);
      }
      if (lane < 3) to[3 * n + lane] = lane == 0 ? sum[0] : lane == 1 ? sum[1] : sum[2];
    }
  }
  if constexpr (mirrored) {
#pragma unroll
    for (int n = Range::n0; n <= Range::n1; ++n) {
      y_lanes[warp][3 * n][lane] = y_l[n].x;
      y_lanes[warp][3 * n + 1][lane] = y_l[n].y;
      y_lanes[warp][3 * n + 2][lane] = y_l[n].z;
    }
    __syncthreads();
    constexpr int begin = 3 * Range::n0, rows = 3 * (Range::n1 - Range::n0 + 1);
    for (int item = static_cast<int>(threadIdx.x); item < rows * tile; item += product_warps * tile) {
      const int v = begin + item % rows, fiber = item / rows;
      double sum = 0;
      for (int w = 0; w < product_warps; ++w) sum += y_lanes[w][v][fiber];
      partials[layout.partial_of_column(pair, split, fiber) + v] = sum;
    }
  }
}

template <class Real>
using ProductKernel = void (*)(Layout, Part, const Real*, const double*, double*);

template <Product product, int splits, class Real>
ProductKernel<Real> product_kernel(int order, bool mirrored) {
  if (order == 5)
    return mirrored ? multiply<product, 5, true, splits, Real> : multiply<product, 5, false, splits, Real>;
  return mirrored ? multiply<product, 8, true, splits, Real> : multiply<product, 8, false, splits, Real>;
}

template <Product product, class Real>
void launch_product(Backend& backend, const Layout& layout, Part part, const Real* theta, const double* f,
                    double* partials) {
  const CudaLaunch launch(backend, "fibers.product");
  const auto kernel = layout.splits == 1 ? product_kernel<product, 1, Real>(layout.order, layout.mirrored)
                                         : product_kernel<product, device_splits, Real>(layout.order, layout.mirrored);
  kernel<<<dim3(static_cast<unsigned>(part.count), layout.splits), warps_of_product(layout.order) * tile, 0,
           launch.stream()>>>(layout, part, theta, f, partials);
}

}  // namespace

template <class Real>
void interaction_cuda(Backend& backend, Kernel, const Layout& layout, Part part, const Poses& poses,
                      const FiberRule& rule, double doublet, Real* theta) {
  const RuleOf<Real> there = rule_of<Real>(rule);
  const auto function = interact_kernel<TilePairs<Real>, Real>(layout.order, rule.points, poses.unequal());
  const std::size_t shared = interact_shared(layout.order, rule.points, sizeof(Real));
  allow_shared(function, shared);
  // A grid has at most 2^31 - 1 blocks along x; larger parts are split.
  constexpr long long max_pairs = (1LL << 30) / (tile * groups);
  for (long long done = 0; done < part.count; done += max_pairs) {
    const long long pairs = std::min(max_pairs, part.count - done);
    const CudaLaunch launch(backend, "fibers.interaction");
    function<<<static_cast<unsigned>(pairs * tile * groups), interaction_threads, shared, launch.stream()>>>(
        TilePairs<Real>{layout, part.first + done, theta + layout.row(done, 0)}, poses, there, rule.points,
        static_cast<Real>(doublet));
  }
}

template <class Real>
void pair_tensors_cuda(Backend& backend, const Pair* pairs, int count, int order, const Poses& poses,
                       const FiberRule& rule, double doublet, Real* theta) {
  const auto function = interact_kernel<ListPairs<Real>, Real>(order, rule.points, poses.unequal());
  const std::size_t shared = interact_shared(order, rule.points, sizeof(Real));
  allow_shared(function, shared);
  const CudaLaunch launch(backend, "fibers.interaction");
  function<<<static_cast<unsigned>((count + partners - 1) / partners), interaction_threads, shared, launch.stream()>>>(
      ListPairs<Real>{pairs, count, tensor * (order + 1) * (order + 1), theta}, poses, rule_of<Real>(rule), rule.points,
      static_cast<Real>(doublet));
}

template <class Real>
void recursion_cuda(Backend& backend, const Layout& layout, Part part, const Poses& poses, const FiberRule& rule,
                    double doublet, View1D<Real> points, Real* theta) {
  const RuleOf<Real> there = rule_of<Real>(rule);
  const PairNumbers numbers{layout, part, layout.mirrored && part.count == layout.tile_pairs()};
  const int columns = tensor * (layout.order + 1);
  const long long all = numbers.count(),
                  max_columns = static_cast<long long>(points.size / (static_cast<std::size_t>(columns) * rule.points));
  const auto inner = layout.order == 5
                         ? (poses.unequal() ? recursion_points<5, true, Real> : recursion_points<5, false, Real>)
                         : (poses.unequal() ? recursion_points<8, true, Real> : recursion_points<8, false, Real>);
  const auto outer = layout.order == 5 ? recursion_sums<5, Real> : recursion_sums<8, Real>;
  for (long long first = 0; first < all; first += max_columns) {
    const int count = static_cast<int>(std::min(max_columns, all - first));
    const long long threads = static_cast<long long>(count) * rule.points;
    {
      const CudaLaunch launch(backend, "fibers.recursion");
      inner<<<static_cast<unsigned>((threads + recursion_threads - 1) / recursion_threads), recursion_threads, 0,
              launch.stream()>>>(numbers, first, count, poses, there, rule.points, static_cast<Real>(doublet),
                                 points.data);
    }
    const CudaLaunch launch(backend, "fibers.recursion sums");
    outer<<<dim3((count + recursion_threads - 1) / recursion_threads, columns), recursion_threads, 0,
            launch.stream()>>>(numbers, first, count, there, rule.points, points.data, theta);
  }
}

template <class Real>
void product_cuda(Backend& backend, Product product, const Layout& layout, Part part, const Real* theta,
                  const double* f, double* partials) {
  switch (product) {
    case Product::weights:
      return launch_product<Product::weights>(backend, layout, part, theta, f, partials);
    case Product::forces:
      return launch_product<Product::forces>(backend, layout, part, theta, f, partials);
    case Product::velocities:
      return launch_product<Product::velocities>(backend, layout, part, theta, f, partials);
  }
}

LaunchShape shape_cuda(Kernel kernel, int order, bool fp32) {
  if (kernel == Kernel::recursion) {
    const void* function = order == 5 ? reinterpret_cast<const void*>(recursion_points<5, false, double>)
                                      : reinterpret_cast<const void*>(recursion_points<8, false, double>);
    if (fp32)
      function = order == 5 ? reinterpret_cast<const void*>(recursion_points<5, false, float>)
                            : reinterpret_cast<const void*>(recursion_points<8, false, float>);
    return cuda_launch_shape(function, dim3(recursion_threads));
  }
  const void* const function =
      fp32 ? reinterpret_cast<const void*>(interact_kernel<TilePairs<float>, float>(order, typical_points, false))
           : reinterpret_cast<const void*>(interact_kernel<TilePairs<double>, double>(order, typical_points, false));
  const std::size_t shared = interact_shared(order, typical_points, fp32 ? sizeof(float) : sizeof(double));
  allow_shared(function, shared);
  return cuda_launch_shape(function, dim3(interaction_threads), shared);
}

template void pair_tensors_cuda(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, double*);
template void pair_tensors_cuda(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, float*);
template void recursion_cuda(Backend&, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<double>,
                             double*);
template void recursion_cuda(Backend&, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<float>,
                             float*);
template void interaction_cuda(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, double*);
template void interaction_cuda(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, float*);
template void product_cuda(Backend&, Product, const Layout&, Part, const double*, const double*, double*);
template void product_cuda(Backend&, Product, const Layout&, Part, const float*, const double*, double*);

// ---- node sums

namespace {

constexpr int node_threads = 128;
constexpr int sources = 8;  // fibers in shared memory at a time: a byte of the mask
constexpr int typical_nodes = 16;
constexpr int warp_lanes = 32;

// A target node of fiber m at `s`, from the centre of the fiber.
template <class Real>
__device__ Vector3<Real> node_place(const NodeView<Real>& view, int m, double s) {
  const double* const t = view.half_axis + 3 * static_cast<std::size_t>(m);
  return {static_cast<Real>(s * t[0]), static_cast<Real>(s * t[1]), static_cast<Real>(s * t[2])};
}

// A block's part of the list of partners of fiber m.
struct ListPart {
  int begin, end;
  template <class Real>
  __device__ ListPart(const NodeView<Real>& view, int m) {
    const int first = view.begin[m], count = view.begin[m + 1] - first, part = static_cast<int>(blockIdx.y),
              parts = static_cast<int>(gridDim.y);
    begin = first + static_cast<int>(static_cast<long long>(count) * part / parts);
    end = first + static_cast<int>(static_cast<long long>(count) * (part + 1) / parts);
  }
};

// A warp for each fiber. `points` divides the number of lanes; the lanes that share a target node share the sources,
// each its part of every word of the mask, or the nodes of each source.
template <int points, bool share_fibers, bool lists, class Real>
__global__ void __launch_bounds__(node_threads)
    node_sums_of_fiber(const __grid_constant__ NodeView<Real> view, const int chunk_words, double* const flow) {
  constexpr int sharers = warp_lanes / points, own_nodes = share_fibers ? points : points / sharers,
                own_bits = share_fibers ? pair_bits / sharers : pair_bits;
  const int m = static_cast<int>((blockIdx.x * node_threads + threadIdx.x) / warp_lanes);
  if (m >= view.fibers) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, q = lane % points, sharer = lane / points;
  const int first_node = share_fibers ? 0 : sharer * own_nodes, first_bit = share_fibers ? sharer * own_bits : 0;
  const Vector3<Real> own = node_place(view, m, view.node[q]);
  const auto centre = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(m));
  const Real doublet = static_cast<Real>(view.doublet), minus3 = Real(-3) * doublet, box = static_cast<Real>(view.box);
  NodeSum<Real> total{{Real(0), Real(0), Real(0)}, {Real(0), Real(0), Real(0)}};
  const auto add_fiber = [&](int l) {
    const auto other = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(l));
    const Vector3<Real> base = own + centre_separation(centre, other, box);
    const Node<Real>* const from = view.nodes + static_cast<std::size_t>(l) * points + first_node;
    Vector3<Real> u{Real(0), Real(0), Real(0)};
#pragma unroll
    for (int p = 0; p < own_nodes; ++p) {
      const Node<Real> node = from[p];
      add_node_flow(base - node.place, node.force, doublet, minus3, u);
    }
    total.add(u);
  };
  if constexpr (lists) {
    const ListPart part(view, m);
    for (int at = part.begin + (share_fibers ? sharer : 0); at < part.end; at += share_fibers ? sharers : 1)
      add_fiber(view.partners[at]);
  } else {
    const int begin = static_cast<int>(blockIdx.y) * chunk_words, end = min(view.words, begin + chunk_words);
    for (int w = begin; w < end; ++w) {
      // Entries beyond the last fiber are marked.
      std::uint32_t in =
          (~view.mask[static_cast<std::size_t>(m) * view.words + w] >> first_bit) & bits_before(own_bits);
      for (; in != 0; in &= in - 1) add_fiber(w * pair_bits + first_bit + __ffs(static_cast<int>(in)) - 1);
    }
  }
  Vector3<double> sum{static_cast<double>(total.sum.x), static_cast<double>(total.sum.y),
                      static_cast<double>(total.sum.z)};
  for (int step = points; step < warp_lanes; step *= 2) {
    sum.x += __shfl_xor_sync(whole_warp, sum.x, step);
    sum.y += __shfl_xor_sync(whole_warp, sum.y, step);
    sum.z += __shfl_xor_sync(whole_warp, sum.z, step);
  }
  if (lane >= points) return;
  double* const to = flow + 3 * ((static_cast<std::size_t>(blockIdx.y) * view.fibers + m) * points + q);
  to[0] = sum.x;
  to[1] = sum.y;
  to[2] = sum.z;
}

// A thread for each node, for any number of nodes.
template <class Real>
__global__ void __launch_bounds__(node_threads)
    node_sums(const __grid_constant__ NodeView<Real> view, const int fibers_of_chunk, double* const flow) {
  extern __shared__ __align__(16) double shared_raw[];
  Node<Real>* const nodes = reinterpret_cast<Node<Real>*>(shared_raw);
  __shared__ Centre<Real> centres[sources];
  const int points = view.points;
  const long long target = static_cast<long long>(blockIdx.x) * node_threads + threadIdx.x;
  const bool real_target = target < static_cast<long long>(view.fibers) * points;
  const int m = real_target ? static_cast<int>(target / points) : view.fibers - 1,
            q = static_cast<int>(target % points);
  const Vector3<Real> own = node_place(view, m, view.node[q]);
  const auto centre = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(m));
  const Real doublet = static_cast<Real>(view.doublet), minus3 = Real(-3) * doublet, box = static_cast<Real>(view.box);
  const int begin = static_cast<int>(blockIdx.y) * fibers_of_chunk, end = min(view.fibers, begin + fibers_of_chunk);
  NodeSum<Real> total{{Real(0), Real(0), Real(0)}, {Real(0), Real(0), Real(0)}};
  for (int l0 = begin; l0 < end; l0 += sources) {
    const int here = min(sources, end - l0);
    __syncthreads();  // the last eight have been read
    for (int e = static_cast<int>(threadIdx.x); e < here * points; e += node_threads)
      nodes[e] = view.nodes[static_cast<std::size_t>(l0) * points + e];
    if (static_cast<int>(threadIdx.x) < here)
      centres[threadIdx.x] = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(l0 + threadIdx.x));
    __syncthreads();
    const std::uint32_t out =
        view.mask[static_cast<std::size_t>(m) * view.words + static_cast<std::size_t>(l0 / 32)] >> (l0 % 32);
    for (int j = 0; j < here; ++j) {
      if (((out >> j) & 1u) != 0) continue;
      const Vector3<Real> base = own + centre_separation(centre, centres[j], box);
      Vector3<Real> u{Real(0), Real(0), Real(0)};
      const Node<Real>* const from = nodes + j * points;
#pragma unroll 8
      for (int p = 0; p < points; ++p) {
        const Node<Real> node = from[p];
        add_node_flow(base - node.place, node.force, doublet, minus3, u);
      }
      total.add(u);
    }
  }
  if (!real_target) return;
  double* const to = flow + 3 * (static_cast<std::size_t>(blockIdx.y) * view.fibers * points + target);
  to[0] = static_cast<double>(total.sum.x);
  to[1] = static_cast<double>(total.sum.y);
  to[2] = static_cast<double>(total.sum.z);
}

// The same for lists of partners.
template <class Real>
__global__ void __launch_bounds__(node_threads)
    node_sums_of_lists(const __grid_constant__ NodeView<Real> view, double* const flow) {
  const int points = view.points;
  const long long target = static_cast<long long>(blockIdx.x) * node_threads + threadIdx.x;
  if (target >= static_cast<long long>(view.fibers) * points) return;
  const int m = static_cast<int>(target / points);
  const Vector3<Real> own = node_place(view, m, view.node[target % points]);
  const auto centre = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(m));
  const Real doublet = static_cast<Real>(view.doublet), minus3 = Real(-3) * doublet, box = static_cast<Real>(view.box);
  NodeSum<Real> total{{Real(0), Real(0), Real(0)}, {Real(0), Real(0), Real(0)}};
  const ListPart part(view, m);
  for (int at = part.begin; at < part.end; ++at) {
    const int l = view.partners[at];
    const auto other = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(l));
    const Vector3<Real> base = own + centre_separation(centre, other, box);
    const Node<Real>* const from = view.nodes + static_cast<std::size_t>(l) * points;
    Vector3<Real> u{Real(0), Real(0), Real(0)};
#pragma unroll 4
    for (int p = 0; p < points; ++p) {
      const Node<Real> node = from[p];
      add_node_flow(base - node.place, node.force, doublet, minus3, u);
    }
    total.add(u);
  }
  double* const to = flow + 3 * (static_cast<std::size_t>(blockIdx.y) * view.fibers * points + target);
  to[0] = static_cast<double>(total.sum.x);
  to[1] = static_cast<double>(total.sum.y);
  to[2] = static_cast<double>(total.sum.z);
}

}  // namespace

template <class Real>
void node_sums_cuda(Backend& backend, const NodeView<Real>& view, int chunks, double* flow) {
  const int chunk_words = (view.words + chunks - 1) / chunks;
  const auto blocks = [](long long threads) {
    return static_cast<unsigned>((threads + node_threads - 1) / node_threads);
  };
  const CudaLaunch launch(backend, "fibers.nodes");
  if (view.points == 16 || view.points == 8) {
    const bool lists = view.partners != nullptr, many = view.points == 16;
    const auto function =
        many ? (lists ? node_sums_of_fiber<16, false, true, Real> : node_sums_of_fiber<16, false, false, Real>)
             : (lists ? node_sums_of_fiber<8, true, true, Real> : node_sums_of_fiber<8, true, false, Real>);
    function<<<dim3(blocks(static_cast<long long>(view.fibers) * warp_lanes), chunks), node_threads, 0,
               launch.stream()>>>(view, chunk_words, flow);
    return;
  }
  const long long targets = static_cast<long long>(view.fibers) * view.points;
  if (view.partners != nullptr) {
    node_sums_of_lists<Real><<<dim3(blocks(targets), chunks), node_threads, 0, launch.stream()>>>(view, flow);
    return;
  }
  node_sums<Real>
      <<<dim3(blocks(targets), chunks), node_threads, sizeof(Node<Real>) * sources * view.points, launch.stream()>>>(
          view, chunk_words * pair_bits, flow);
}

LaunchShape node_shape_cuda(bool fp32) {
  const void* const function =
      fp32 ? reinterpret_cast<const void*>(node_sums_of_fiber<typical_nodes, false, false, float>)
           : reinterpret_cast<const void*>(node_sums_of_fiber<typical_nodes, false, false, double>);
  return cuda_launch_shape(function, dim3(node_threads));
}

template void node_sums_cuda(Backend&, const NodeView<double>&, int, double*);
template void node_sums_cuda(Backend&, const NodeView<float>&, int, double*);

// ---- far sums

namespace {

constexpr int far_threads = 64;

// A thread for each fiber, in the order of space, so that most pairs of a warp have one level. All threads of a warp
// read the same source.
template <int points>
__global__ void __launch_bounds__(far_threads)
    far_sums_of_fibers(const __grid_constant__ FarView view, double* const flow) {
  const int own = static_cast<int>(blockIdx.x) * far_threads + static_cast<int>(threadIdx.x);
  if (own >= view.fibers) return;
  const Poses& poses = view.poses;
  const int m = view.order[own], chunk = static_cast<int>(blockIdx.y);
  const double* const axis = poses.half_axes() + 3 * static_cast<std::size_t>(m);
  const Vector3<float> t{static_cast<float>(axis[0]), static_cast<float>(axis[1]), static_cast<float>(axis[2])};
  const double x[3] = {poses.position[3 * static_cast<std::size_t>(m)],
                       poses.position[3 * static_cast<std::size_t>(m) + 1],
                       poses.position[3 * static_cast<std::size_t>(m) + 2]};
  const double half = poses.unequal() ? poses.half_length[m] : 1.0;
  const float doublet = static_cast<float>(view.doublet), minus3 = static_cast<float>(-3 * view.doublet);
  Vector3<double> total[points];
#pragma unroll
  for (int q = 0; q < points; ++q) total[q] = {0, 0, 0};
  const int end = view.first_source(chunk + 1);
  for (int at = view.first_source(chunk); at < end; ++at) {
    const int l = view.order[at];
    const Vector3<double> d = fiber_separation(x, poses.position + 3 * static_cast<std::size_t>(l), poses.box);
    const double half_l = poses.unequal() ? poses.half_length[l] : 1.0, longer = half > half_l ? half : half_l,
                 near = view.begin * longer, far = view.end * longer, d2 = dot(d, d);
    if (d2 < near * near || d2 >= far * far) continue;
    Vector3<float> u[points];
#pragma unroll
    for (int q = 0; q < points; ++q) u[q] = {0.f, 0.f, 0.f};
    add_far_fiber<points, points>(
        Vector3<float>{static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)}, t, view.node,
        view.nodes + static_cast<std::size_t>(at) * points, doublet, minus3, u);
#pragma unroll
    for (int q = 0; q < points; ++q)
      total[q] = total[q] +
                 Vector3<double>{static_cast<double>(u[q].x), static_cast<double>(u[q].y), static_cast<double>(u[q].z)};
  }
  double* const to = flow + 3 * (static_cast<std::size_t>(chunk) * view.fibers + m) * points;
#pragma unroll
  for (int q = 0; q < points; ++q) {
    to[3 * q] = total[q].x;
    to[3 * q + 1] = total[q].y;
    to[3 * q + 2] = total[q].z;
  }
}

}  // namespace

void far_sums_cuda(Backend& backend, const FarView& view, double* flow) {
  static_assert(far_points[0] == 6 && far_points[1] == 4);
  const CudaLaunch launch(backend, "fibers.far");
  const auto function = view.points == 6 ? far_sums_of_fibers<6> : far_sums_of_fibers<4>;
  function<<<dim3((view.fibers + far_threads - 1) / far_threads, view.chunks), far_threads, 0, launch.stream()>>>(view,
                                                                                                                  flow);
}

LaunchShape far_shape_cuda() {
  return cuda_launch_shape(reinterpret_cast<const void*>(far_sums_of_fibers<6>), dim3(far_threads));
}

// ---- extension

namespace {

constexpr int extension_threads = PaperGrid::block;

// The first thread finds the block's position, and all others wait for it (the paper's section 5.7.2).
__global__ void __launch_bounds__(extension_threads)
    extension_points(const PaperGrid grid, const Poses poses, const __grid_constant__ FiberRule rule,
                     const double doublet, const std::size_t slots, double* const integrals) {
  __shared__ int column, of_column;
  if (threadIdx.x == 0) {
    int m = 0, own = 0;
    column = grid.place(static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), m, own) ? m : -1;
    of_column = own;
  }
  __syncthreads();
  if (column < 0) return;
  const int item = of_column * extension_threads + static_cast<int>(threadIdx.x);
  if (item >= grid.items(column)) return;
  extension_point(grid, poses, rule.node[item % grid.points], doublet, column, item,
                  integrals + grid.slot(column, of_column) + threadIdx.x, slots);
}

__global__ void __launch_bounds__(extension_threads)
    extension_sums(const PaperGrid grid, const __grid_constant__ FiberRule rule, const std::size_t slots,
                   const double* const integrals, double* const results) {
  const long long pair = static_cast<long long>(blockIdx.x) * extension_threads + threadIdx.x;
  if (pair < grid.pairs()) extension_sum(grid, rule, slots, integrals, static_cast<int>(blockIdx.y), pair, results);
}

}  // namespace

void extension_cuda(Backend& backend, const PaperGrid& grid, const Poses& poses, const FiberRule& rule, double doublet,
                    std::size_t slots, double* integrals, double* results) {
  {
    const CudaLaunch launch(backend, "fibers.extension");
    extension_points<<<dim3(static_cast<unsigned>(grid.width()), static_cast<unsigned>(grid.height())),
                       extension_threads, 0, launch.stream()>>>(grid, poses, rule, doublet, slots, integrals);
  }
  const auto blocks = static_cast<unsigned>((grid.pairs() + extension_threads - 1) / extension_threads);
  const CudaLaunch launch(backend, "fibers.extension sums");
  extension_sums<<<dim3(blocks, Extension::columns), extension_threads, 0, launch.stream()>>>(grid, rule, slots,
                                                                                              integrals, results);
}

LaunchShape extension_shape_cuda() {
  return cuda_launch_shape(reinterpret_cast<const void*>(extension_points), dim3(extension_threads));
}

}  // namespace perturb::fibers::detail
