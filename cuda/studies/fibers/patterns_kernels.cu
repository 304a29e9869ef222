// The six numbers that a thread of the paper keeps in shared memory during a recursion (its section 5.7.4). They are
// read and written as volatile, so that the compiler leaves them there.
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

}  // namespace

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
