// The interaction on CUDA.
//
//   interaction   A block takes a fiber m and four partners l of a tile. Each thread takes one outer point of one pair: the
//                 closed-form inner integral, 6 (K+1) numbers (36 for K = 5), into shared memory. Then each thread takes one of
//                 those columns of one pair and sums it over the outer points with weights w_q P_n(s_q), K+1 sums at once, so
//                 that every number read from shared memory feeds K+1 multiply-adds. Four neighbouring threads hold the same
//                 column of four neighbouring partners: what they write fills whole sectors. `recursion` is the same with the
//                 published starts: the source's thread per pair and quadrature point, which left its sums to the CPU.
//   product       A warp streams through rows of a pair of tiles, a partner a lane: one coalesced pass over the stored numbers
//                 serves both directions. Sums for m go through the warp, sums for l stay in registers until the block adds
//                 them up in order. No atomics: the same bits in every run.
#include <algorithm>

#include "cuda/core/check.h"
#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_launch.h"
#include "cuda/fibers/fibers_interaction.h"
#include "cuda/fibers/fibers_pair.h"

namespace perturb::detail {

namespace {

constexpr int tile = 32;
constexpr int partners = 4;              // of a block
constexpr int groups = tile / partners;  // blocks of a row
constexpr int interaction_threads = 96;
constexpr int usual_points = 24;  // 8 subintervals of 3

template <class Real>
struct RuleOf {
  Real node[fiber_max_points];
  Real weight[fiber_max_points][fiber_max_terms + 1];
};

// Columns of a pair in shared memory, one outer point beside the other; odd, so that columns start in different banks.
PERTURB_HD constexpr int padded(int points) { return points | 1; }

// `fixed_points`: known when compiling, or 0.
template <FiberStarts starts, int K, int fixed_points, class Real>
__global__ void __launch_bounds__(interaction_threads)
    interact(const FiberLayout layout, const long long first_pair, const FiberPlaces places,
             const __grid_constant__ RuleOf<Real> rule, const int run_points, const Real doublet, Real* const theta) {
  extern __shared__ double shared_raw[];
  Real* const shared = reinterpret_cast<Real*>(shared_raw);
  constexpr int columns = (K + 1) * fiber_tensor;
  const int points = fixed_points > 0 ? fixed_points : run_points, pitch = padded(points);
  const long long work = blockIdx.x;
  const int group = static_cast<int>(work % groups), row = static_cast<int>(work / groups % tile);
  const long long pair = first_pair + work / (groups * tile);
  int tile_m = 0, tile_l = 0;
  layout.tiles_of(pair, tile_m, tile_l);
  const int m = tile_m * tile + row, l0 = tile_l * tile + group * partners;
  if (m >= layout.fibers || l0 >= layout.fibers || (layout.mirrored && l0 + partners - 1 <= m)) return;

  for (int e = static_cast<int>(threadIdx.x); e < partners * points; e += interaction_threads) {
    const int p = e / points, q = e % points, l = l0 + p;
    if (!layout.holds(m, l)) continue;
    const double *tm = places.tangent + 3 * static_cast<std::size_t>(m),
                 *tl = places.tangent + 3 * static_cast<std::size_t>(l);
    const Vector3<double> d = fiber_separation(places.position + 3 * static_cast<std::size_t>(m),
                                               places.position + 3 * static_cast<std::size_t>(l), places.box);
    const Vector3<Real> t{static_cast<Real>(tl[0]), static_cast<Real>(tl[1]), static_cast<Real>(tl[2])};
    const Vector3<Real> own{static_cast<Real>(tm[0]), static_cast<Real>(tm[1]), static_cast<Real>(tm[2])};
    const Vector3<Real> r = add_scaled(
        Vector3<Real>{static_cast<Real>(d.x), static_cast<Real>(d.y), static_cast<Real>(d.z)}, rule.node[q], own);
    // Where the recursion begins is the pair's affair, so that a warp does not part ways.
    const double between = ::sqrt(dot(d, d)) - 1;
    const int first =
        starts == FiberStarts::stable && between > 0 ? fiber_first_index(between * between) : fiber_last_moment;
    Real g[K + 1][fiber_tensor];
    fiber_inner_integral<starts, K>(r, t, doublet, first, g);
    Real* const to = shared + static_cast<std::size_t>(p) * columns * pitch + q;
#pragma unroll
    for (int k = 0; k <= K; ++k)
#pragma unroll
      for (int c = 0; c < fiber_tensor; ++c) to[(k * fiber_tensor + c) * pitch] = g[k][c];
  }
  __syncthreads();
  for (int item = static_cast<int>(threadIdx.x); item < partners * columns; item += interaction_threads) {
    const int p = item % partners, column = item / partners, l = l0 + p;
    if (!layout.holds(m, l)) continue;
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
    Real* const to = theta + layout.row(pair - first_pair, row) + group * partners + p;
#pragma unroll
    for (int n = 0; n <= K; ++n) to[static_cast<std::size_t>(n * columns + column) * tile] = sum[n];
  }
}

template <class Real>
using InteractKernel = void (*)(FiberLayout, long long, FiberPlaces, RuleOf<Real>, int, Real, Real*);

template <class Real>
InteractKernel<Real> interact_kernel(FiberKernel kernel, int order, int points) {
  const bool stable = kernel == FiberKernel::stable;
  if (order == 5 && points == usual_points)
    return stable ? interact<FiberStarts::stable, 5, usual_points, Real>
                  : interact<FiberStarts::published, 5, usual_points, Real>;
  if (order == 5)
    return stable ? interact<FiberStarts::stable, 5, 0, Real> : interact<FiberStarts::published, 5, 0, Real>;
  return stable ? interact<FiberStarts::stable, 8, 0, Real> : interact<FiberStarts::published, 8, 0, Real>;
}

std::size_t interact_shared(int order, int points, std::size_t real) {
  return static_cast<std::size_t>(partners) * (order + 1) * fiber_tensor * padded(points) * real;
}

// Fewer for the higher order: each has its sums in shared memory.
PERTURB_HD constexpr int warps_of_product(int order) { return order <= 5 ? 8 : 4; }
constexpr unsigned whole_warp = 0xffffffffu;

template <FiberProduct product, int K, bool mirrored, class Real>
__global__ void __launch_bounds__(warps_of_product(K) * tile)
    multiply(const FiberLayout layout, const FiberPart part, const Real* const theta, const double* const f,
             double* const partials) {
  using Range = FiberProductRange<product, K>;
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
    y_l[k] = {0, 0, 0}, f_l[k] = {0, 0, 0};
    if (l < layout.fibers && k >= Range::k0 && k <= Range::k1) {
      const double* const own = f + static_cast<std::size_t>(l) * values + 3 * k;
      f_l[k] = {own[0], own[1], own[2]};
    }
  }
  __syncthreads();
  for (int row = warp; row < tile; row += product_warps) {
    double* const to = partials + layout.partial(pair, false, row);
    Vector3<double> f_m[K + 1], y_m[K + 1];
#pragma unroll
    for (int k = 0; k <= K; ++k) {
      y_m[k] = {0, 0, 0};
      f_m[k] = {f_rows[row * values + 3 * k], f_rows[row * values + 3 * k + 1], f_rows[row * values + 3 * k + 2]};
    }
    const Real* const tensors = theta + layout.row(blockIdx.x, row) + lane;
    const auto load = [tensors](int n, int k, double(&g)[fiber_tensor]) {
#pragma unroll
      for (int c = 0; c < fiber_tensor; ++c)
        g[c] = static_cast<double>(__ldcs(tensors + (FiberLayout::component(K, n, k) + c) * tile));
    };
    fiber_pair_product<product, K, mirrored>(load, f_m, f_l, y_m, y_l);
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
    for (int n = Range::n0; n <= Range::n1; ++n)
      y_lanes[warp][3 * n][lane] = y_l[n].x, y_lanes[warp][3 * n + 1][lane] = y_l[n].y,
                        y_lanes[warp][3 * n + 2][lane] = y_l[n].z;
    __syncthreads();
    constexpr int begin = 3 * Range::n0, rows = 3 * (Range::n1 - Range::n0 + 1);
    for (int item = static_cast<int>(threadIdx.x); item < rows * tile; item += product_warps * tile) {
      const int v = begin + item % rows, fiber = item / rows;
      double sum = 0;
      for (int w = 0; w < product_warps; ++w) sum += y_lanes[w][v][fiber];
      partials[layout.partial(pair, true, fiber) + v] = sum;
    }
  }
}

template <FiberProduct product, class Real>
void launch_product(Backend& backend, const FiberLayout& layout, FiberPart part, const Real* theta, const double* f,
                    double* partials) {
  const CudaLaunch launch(backend, "fibers.product");
  const auto kernel = layout.order == 5
                          ? (layout.mirrored ? multiply<product, 5, true, Real> : multiply<product, 5, false, Real>)
                          : (layout.mirrored ? multiply<product, 8, true, Real> : multiply<product, 8, false, Real>);
  kernel<<<static_cast<unsigned>(part.count), warps_of_product(layout.order) * tile, 0, launch.stream()>>>(
      layout, part, theta, f, partials);
}

}  // namespace

template <class Real>
void fiber_interaction_cuda(Backend& backend, FiberKernel kernel, const FiberLayout& layout, FiberPart part,
                            const FiberPlaces& places, const FiberRule& rule, double doublet, Real* theta) {
  RuleOf<Real> there{};
  for (int q = 0; q < rule.points; ++q) {
    there.node[q] = static_cast<Real>(rule.node[q]);
    for (int n = 0; n <= fiber_max_terms; ++n) there.weight[q][n] = static_cast<Real>(rule.weight[q][n]);
  }
  const auto function = interact_kernel<Real>(kernel, layout.order, rule.points);
  const std::size_t shared = interact_shared(layout.order, rule.points, sizeof(Real));
  if (shared > 48 * 1024)
    PERTURB_CUDA_CHECK(
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  // A grid counts to 2^31 - 1 blocks along x; larger parts go in pieces.
  constexpr long long most_pairs = (1LL << 30) / (tile * groups);
  for (long long done = 0; done < part.count; done += most_pairs) {
    const long long pairs = std::min(most_pairs, part.count - done);
    const CudaLaunch launch(backend, "fibers.interaction");
    function<<<static_cast<unsigned>(pairs * tile * groups), interaction_threads, shared, launch.stream()>>>(
        layout, part.first + done, places, there, rule.points, static_cast<Real>(doublet), theta + layout.row(done, 0));
  }
}

template <class Real>
void fiber_product_cuda(Backend& backend, FiberProduct product, const FiberLayout& layout, FiberPart part,
                        const Real* theta, const double* f, double* partials) {
  switch (product) {
    case FiberProduct::weights:
      return launch_product<FiberProduct::weights>(backend, layout, part, theta, f, partials);
    case FiberProduct::forces:
      return launch_product<FiberProduct::forces>(backend, layout, part, theta, f, partials);
    case FiberProduct::velocities:
      return launch_product<FiberProduct::velocities>(backend, layout, part, theta, f, partials);
  }
}

LaunchShape fiber_shape_cuda(FiberKernel kernel, int order, bool fp32) {
  const void* const function =
      fp32 ? reinterpret_cast<const void*>(interact_kernel<float>(kernel, order, usual_points))
           : reinterpret_cast<const void*>(interact_kernel<double>(kernel, order, usual_points));
  const std::size_t shared = interact_shared(order, usual_points, fp32 ? sizeof(float) : sizeof(double));
  cudaFuncAttributes attributes;
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  int device = 0, blocks = 0, threads = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(
      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, interaction_threads, shared));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  LaunchShape shape;
  shape.block_x = interaction_threads, shape.block_y = 1;
  shape.registers_per_thread = attributes.numRegs;
  shape.shared_bytes = static_cast<int>(shared);
  shape.occupancy = static_cast<double>(blocks) * interaction_threads / threads;
  return shape;
}

template void fiber_interaction_cuda(Backend&, FiberKernel, const FiberLayout&, FiberPart, const FiberPlaces&,
                                     const FiberRule&, double, double*);
template void fiber_interaction_cuda(Backend&, FiberKernel, const FiberLayout&, FiberPart, const FiberPlaces&,
                                     const FiberRule&, double, float*);
template void fiber_product_cuda(Backend&, FiberProduct, const FiberLayout&, FiberPart, const double*, const double*,
                                 double*);
template void fiber_product_cuda(Backend&, FiberProduct, const FiberLayout&, FiberPart, const float*, const double*,
                                 double*);

}  // namespace perturb::detail
