// The paper's kernel: a thread for each pair and outer point, blocks of 128 along the folded triangle.
#include "cuda/core/backend/cuda_check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_shape.h"
#include "cuda/fibers/model/extension_cell.h"

namespace perturb::fibers::detail {

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

void fiber_extension_cuda(Backend& backend, const PaperGrid& grid, const Poses& poses, const FiberRule& rule,
                          double doublet, std::size_t slots, double* integrals, double* results) {
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

LaunchShape fiber_extension_shape_cuda() {
  return cuda_launch_shape(reinterpret_cast<const void*>(extension_points), dim3(extension_threads));
}

}  // namespace perturb::fibers::detail
