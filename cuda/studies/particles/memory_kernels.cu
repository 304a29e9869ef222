#include "cuda/core/backend/cuda_launch.h"
#include "cuda/studies/particles/memory.h"

namespace perturb::particles {

namespace {

constexpr int check_block = 32;  // the paper's section 3.4

__constant__ CheckNumbers check_numbers;

__device__ inline CheckNumbers numbers_of(CheckMemory memory, const CheckNumbers* global, CheckNumbers* shared) {
  if (memory == CheckMemory::global) return *global;
  if (memory == CheckMemory::shared) {
    if (threadIdx.x == 0) *shared = check_numbers;
    __syncthreads();
    return *shared;
  }
  return check_numbers;
}

// The folded triangle of CheckPairs (kernels/all_pairs.h).
template <CheckMemory memory>
__global__ void __launch_bounds__(check_block)
    check_pairs_from(const CheckNumbers* global, const Disc<double>* discs, unsigned long long* counter) {
  __shared__ CheckNumbers shared_numbers;
  __shared__ Disc<double> low_discs[memory == CheckMemory::discs_shared ? check_block : 1];
  __shared__ Disc<double> high_discs[memory == CheckMemory::discs_shared ? check_block : 1];
  const CheckNumbers numbers = numbers_of(memory, global, &shared_numbers);
  const int n = numbers.count | 1;
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), row = static_cast<int>(blockIdx.y);
  const int long_row = row + (n + 1) / 2;
  const bool in_long = column < long_row;
  const int high = in_long ? long_row : n - long_row, low = in_long ? column : column - long_row;
  const bool has_pair = column < n && high < numbers.count && low < high;
  double time = 2;
  if constexpr (memory == CheckMemory::discs_shared) {
    if (has_pair) {
      low_discs[threadIdx.x] = discs[low];
      high_discs[threadIdx.x] = discs[high];
    }
    __syncthreads();
    if (has_pair) time = pair_time<true>(low_discs[threadIdx.x], high_discs[threadIdx.x], numbers.reach);
  } else if (has_pair) {
    const Disc<double> p = discs[low], q = discs[high];
    time = pair_time<true>(p, q, numbers.reach);
  }
  if (time <= 1) atomicAdd(counter, 1ULL);
}

}  // namespace

void set_check_numbers(Backend& backend, const CheckNumbers& numbers) {
  backend.synchronize();  // kernels that read the former ones
  PERTURB_CUDA_CHECK(cudaMemcpyToSymbol(check_numbers, &numbers, sizeof numbers));
}

void count_pairs_from(Backend& backend, CheckMemory memory, const CheckNumbers& numbers, const CheckNumbers* global,
                      const Disc<double>* discs, std::int64_t* counter) {
  const auto kernel = memory == CheckMemory::constant ? check_pairs_from<CheckMemory::constant>
                      : memory == CheckMemory::global ? check_pairs_from<CheckMemory::global>
                      : memory == CheckMemory::shared ? check_pairs_from<CheckMemory::shared>
                                                      : check_pairs_from<CheckMemory::discs_shared>;
  const CudaLaunch launch(backend, "particles.check_from");
  const int n = numbers.count | 1;
  const dim3 grid(static_cast<unsigned>((n + check_block - 1) / check_block), static_cast<unsigned>(n / 2));
  kernel<<<grid, check_block, 0, launch.stream()>>>(global, discs, reinterpret_cast<unsigned long long*>(counter));
}

ManagedDiscs::ManagedDiscs(Backend&, std::size_t count) {
  PERTURB_CUDA_CHECK(cudaMallocManaged(reinterpret_cast<void**>(&discs_), count * sizeof(Disc<double>)));
}
ManagedDiscs::~ManagedDiscs() { cudaFree(discs_); }

}  // namespace perturb::particles
