// The six numbers that a thread of the paper keeps in shared memory during a recursion (its section 5.7.4), which are
// read and written as volatile, so that the compiler leaves them there; and the loops of its algorithms 5.2 to 5.5.
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/studies/fibers/patterns.h"

namespace perturb::fibers::detail {

namespace {

constexpr int pattern_block = GlobalTraffic::block, kept = 6, banks = 32;

template <SharedPattern pattern>
struct KeptNumbers;

template <>
struct KeptNumbers<SharedPattern::rows> {
  using Real = float;
  static constexpr int words = kept * pattern_block;
  static __device__ Real get(volatile float* m, int k, int t) { return m[k * pattern_block + t]; }
  static __device__ void set(volatile float* m, int k, int t, Real x) { m[k * pattern_block + t] = x; }
};
template <>
struct KeptNumbers<SharedPattern::one_bank> {
  using Real = float;
  static constexpr int words = banks * pattern_block;
  static __device__ Real get(volatile float* m, int k, int t) { return m[t * banks + k]; }
  static __device__ void set(volatile float* m, int k, int t, Real x) { m[t * banks + k] = x; }
};
template <>
struct KeptNumbers<SharedPattern::rows_double> {
  using Real = double;
  static constexpr int words = 2 * kept * pattern_block;
  static __device__ Real get(volatile float* m, int k, int t) {
    return reinterpret_cast<volatile double*>(m)[k * pattern_block + t];
  }
  static __device__ void set(volatile float* m, int k, int t, Real x) {
    reinterpret_cast<volatile double*>(m)[k * pattern_block + t] = x;
  }
};
template <>
struct KeptNumbers<SharedPattern::halves> {
  using Real = double;
  static constexpr int words = 2 * kept * pattern_block, upper = kept * pattern_block;
  static __device__ Real get(volatile float* m, int k, int t) {
    const auto* const raw = reinterpret_cast<volatile int*>(m);
    return __hiloint2double(raw[upper + k * pattern_block + t], raw[k * pattern_block + t]);
  }
  static __device__ void set(volatile float* m, int k, int t, Real x) {
    auto* const raw = reinterpret_cast<volatile int*>(m);
    raw[k * pattern_block + t] = __double2loint(x);
    raw[upper + k * pattern_block + t] = __double2hiint(x);
  }
};
template <>
struct KeptNumbers<SharedPattern::own_double> {
  using Real = double;
  static constexpr int words = 2 * kept * pattern_block;
  static __device__ Real get(volatile float* m, int k, int t) {
    return reinterpret_cast<volatile double*>(m)[t * kept + k];
  }
  static __device__ void set(volatile float* m, int k, int t, Real x) {
    reinterpret_cast<volatile double*>(m)[t * kept + k] = x;
  }
};

template <SharedPattern pattern>
__global__ void __launch_bounds__(pattern_block) keep_numbers(const int turns, double* const results) {
  using Kept = KeptNumbers<pattern>;
  using Real = typename Kept::Real;
  __shared__ __align__(16) float memory[Kept::words];
  const int t = static_cast<int>(threadIdx.x);
  for (int k = 0; k < kept; ++k) Kept::set(memory, k, t, Real(k) + Real(t) / Real(pattern_block));
  // Three terms, as in the paper's recursions: contractive, so that it stays finite.
  for (int turn = 0, k = 0; turn < turns; ++turn, k = k == kept - 1 ? 0 : k + 1) {
    const int last = k == 0 ? kept - 1 : k - 1, before = last == 0 ? kept - 1 : last - 1;
    Kept::set(memory, k, t, Real(0.5) * Kept::get(memory, last, t) + Real(0.25) * Kept::get(memory, before, t));
  }
  Real sum(0);
  for (int k = 0; k < kept; ++k) sum += Kept::get(memory, k, t);
  results[static_cast<std::size_t>(blockIdx.x) * pattern_block + t] = static_cast<double>(sum);
}

// Algorithms 5.2 and 5.3. Not unrolled: two turns at once would need neither.
template <bool kept_values>
__global__ void __launch_bounds__(pattern_block) alternate(const int turns, double* const results) {
  const int i = static_cast<int>(blockIdx.x) * pattern_block + static_cast<int>(threadIdx.x);
  const double a = 1 + 1e-3 * threadIdx.x, c = 0.25 + 1e-6 * i;
  const double d[2] = {a - c, a + c};
  double b = 1, sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const double r = kept_values ? (turn & 1 ? d[1] : d[0]) : a - b * c;
    sum = 0.5 * sum + r;
    b = -b;
  }
  results[i] = sum;
}

// Row n: the coefficients of the n-th Legendre polynomial.
struct LegendreMatrix {
  double entry[legendre_size * legendre_size];
};
constexpr LegendreMatrix legendre_matrix{{1,     0,     0,     0,     0,     0,  //
                                          0,     1,     0,     0,     0,     0,  //
                                          -0.5,  0,     1.5,   0,     0,     0,  //
                                          0,     -1.5,  0,     2.5,   0,     0,  //
                                          0.375, 0,     -3.75, 0,     4.375, 0,  //
                                          0,     1.875, 0,     -8.75, 0,     7.875}};
__constant__ LegendreMatrix constant_matrix = legendre_matrix;
__device__ LegendreMatrix global_matrix = legendre_matrix;

// Algorithms 5.4 and 5.5.
template <LoopPattern pattern>
__global__ void __launch_bounds__(pattern_block)
    build_legendre(const int turns, const int parts, const double* const numbers, double* const results) {
  constexpr int size = legendre_size;
  constexpr bool in_shared = pattern == LoopPattern::shared || pattern == LoopPattern::tiled;
  __shared__ double shared_matrix[size * size];
  __shared__ double buffer[pattern == LoopPattern::tiled ? size * pattern_block : 1];
  const int t = static_cast<int>(threadIdx.x);
  if (in_shared && t < size * size) shared_matrix[t] = global_matrix.entry[t];
  __syncthreads();
  const double* const matrix = in_shared                          ? shared_matrix
                               : pattern == LoopPattern::constant ? constant_matrix.entry
                                                                  : global_matrix.entry;
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * pattern_block,
                    i = static_cast<std::size_t>(blockIdx.x) * pattern_block + static_cast<std::size_t>(t);
  for (int turn = 0; turn < turns; ++turn) {
    const double* const from = numbers + static_cast<std::size_t>(turn % parts) * size * threads + i;
    if constexpr (pattern == LoopPattern::tiled) {
      for (int n = 0; n < size; ++n) buffer[n * pattern_block + t] = 0;
      for (int k = 0; k < size; ++k) {
        const double number = from[k * threads];
        for (int n = 0; n < size; ++n) {
          volatile double& sum = buffer[n * pattern_block + t];
          sum = sum + number * matrix[n * size + k];
        }
      }
      for (int n = 0; n < size; ++n) results[n * threads + i] = buffer[n * pattern_block + t];
    } else {
      for (int n = 0; n < size; ++n) {
        double sum = 0;
        for (int k = 0; k < size; ++k) sum = sum + from[k * threads] * matrix[n * size + k];
        results[n * threads + i] = sum;
      }
    }
  }
}

}  // namespace

void loop_pattern_cuda(Backend& backend, LoopPattern pattern, int blocks, int turns, int parts, const double* numbers,
                       double* results) {
  const CudaLaunch launch(backend, "fibers.loop pattern");
  const auto grid = static_cast<unsigned>(blocks);
  if (pattern == LoopPattern::recomputed || pattern == LoopPattern::kept) {
    const auto kernel = pattern == LoopPattern::kept ? alternate<true> : alternate<false>;
    kernel<<<grid, pattern_block, 0, launch.stream()>>>(turns, results);
    return;
  }
  const auto kernel = pattern == LoopPattern::global     ? build_legendre<LoopPattern::global>
                      : pattern == LoopPattern::shared   ? build_legendre<LoopPattern::shared>
                      : pattern == LoopPattern::constant ? build_legendre<LoopPattern::constant>
                                                         : build_legendre<LoopPattern::tiled>;
  kernel<<<grid, pattern_block, 0, launch.stream()>>>(turns, parts, numbers, results);
}

void shared_pattern_cuda(Backend& backend, SharedPattern pattern, int blocks, int turns, double* results) {
  const auto kernel = pattern == SharedPattern::rows          ? keep_numbers<SharedPattern::rows>
                      : pattern == SharedPattern::one_bank    ? keep_numbers<SharedPattern::one_bank>
                      : pattern == SharedPattern::rows_double ? keep_numbers<SharedPattern::rows_double>
                      : pattern == SharedPattern::halves      ? keep_numbers<SharedPattern::halves>
                                                              : keep_numbers<SharedPattern::own_double>;
  const CudaLaunch launch(backend, "fibers.shared pattern");
  kernel<<<static_cast<unsigned>(blocks), pattern_block, 0, launch.stream()>>>(turns, results);
}

}  // namespace perturb::fibers::detail
