// Reductions over a whole grid, without waiting for the device.
//
//   struct Extremes {                                    // the result: merging any two parts gives that of both
//     float low = ..., high = ...;
//     PERTURB_HD void merge(const Extremes& other) { ... }
//   };
//   struct HeightExtremes {                              // the contribution of a cell
//     View2D<const float> u;
//     PERTURB_HD void operator()(int i, int j, Extremes& into) const { ... }
//   };
//   Reduction<Extremes> reduction(backend);
//   reduction.start("wave.extremes", Range2D{width, height}, HeightExtremes{u});   // queued
//   if (reduction.ready()) show(reduction.result());                             // never waits
//
// The order in which parts are merged depends only on the grid: row by row on the CPU, a fixed tree on CUDA. So a
// result does not depend on the number of threads.
//
// Any file may hold a Reduction; those that start one are launches (scripts/cmake/Simulation.cmake).
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb {

namespace detail {

constexpr int reduce_threads = 256, reduce_blocks = 2048;

#if defined(__CUDACC__)

// Merges the parts of a block's threads in shared memory; thread 0 has the result.
template <class Part>
__device__ void merge_block(Part& part) {
  __shared__ alignas(16) unsigned char raw[reduce_threads * sizeof(Part)];
  Part* parts = reinterpret_cast<Part*>(raw);
  parts[threadIdx.x] = part;
  __syncthreads();
  for (int half = reduce_threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) parts[threadIdx.x].merge(parts[threadIdx.x + half]);
    __syncthreads();
  }
  part = parts[0];
}

template <class Part, class F>
__global__ void __launch_bounds__(reduce_threads) reduce_grid(int width, int height, F body, Part* parts) {
  Part part;
  for (int j = static_cast<int>(blockIdx.x); j < height; j += static_cast<int>(gridDim.x))
    for (int i = static_cast<int>(threadIdx.x); i < width; i += reduce_threads) body(i, j, part);
  merge_block(part);
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
}

template <class Part>
__global__ void __launch_bounds__(reduce_threads) reduce_parts(Part* parts, int count) {
  Part part;
  for (int k = static_cast<int>(threadIdx.x); k < count; k += reduce_threads) part.merge(parts[k]);
  merge_block(part);
  if (threadIdx.x == 0) parts[0] = part;
}
#endif

}  // namespace detail

// `Part` is copied as bytes; a default-constructed one represents no cells.
template <class Part>
class Reduction {
  static_assert(std::is_trivially_copyable_v<Part>);

 public:
  explicit Reduction(Backend& backend) : backend_(backend), readback_(backend, sizeof(Part)) {
    if (backend.is_cuda()) parts_ = Array<std::byte>(backend, detail::reduce_blocks * sizeof(Part), "partial sums");
  }

  // Reduces `body(i, j, part)` over all cells. On the CPU a body may also provide `row(begin, end, j, part)` or, to
  // reuse values shared by rows, `rows(begin, end, width, parts)`, which sets parts[j] of each row. Waits for a pending
  // reduction. `read_back`: false if only loops use the result, by on_backend().
  template <class F>
  void start(const char* label, Range2D range, const F& body, [[maybe_unused]] bool read_back = true) {
    readback_.wait();
#if defined(__CUDACC__)
    if (backend_.is_cuda()) {
      auto* parts = reinterpret_cast<Part*>(parts_.data());
      const int blocks = std::min(range.height, detail::reduce_blocks);
      {
        const CudaLaunch launch(backend_, label);
        detail::reduce_grid<<<blocks, detail::reduce_threads, 0, launch.stream()>>>(range.width, range.height, body,
                                                                                    parts);
      }
      if (blocks > 1) {
        const CudaLaunch launch(backend_, label);
        detail::reduce_parts<<<1, detail::reduce_threads, 0, launch.stream()>>>(parts, blocks);
      }
      if (read_back) readback_.start(parts);
      return;
    }
#else
    if (backend_.is_cuda()) throw Error("internal: the loop {} was not compiled for CUDA", label);
#endif
    rows_.assign(static_cast<std::size_t>(range.height), Part{});
    auto& cpu = static_cast<CpuBackend&>(backend_);
    const KernelTimer timer(backend_, label);
    const auto block = [&](int begin, int end) {
      const F local = body;
      if constexpr (requires { local.rows(0, 0, 0, rows_.data()); }) {
        local.rows(begin, end, range.width, rows_.data());
      } else {
        for (int j = begin; j < end; ++j) {
          Part part;
          if constexpr (requires { local.row(0, 0, 0, part); }) {
            local.row(0, range.width, j, part);
          } else {
            for (int i = 0; i < range.width; ++i) local(i, j, part);
          }
          rows_[static_cast<std::size_t>(j)] = part;
        }
      }
    };
    cpu.pool().for_row_blocks(range.height, range.width > 0 ? 1 + 4095 / range.width : 1, RowBlock(block));
    Part whole;
    for (const Part& part : rows_) whole.merge(part);
    readback_.start(&whole);
  }
  // Whether the last started reduction has completed. Does not wait.
  bool ready() { return readback_.ready(); }
  void wait() { readback_.wait(); }
  Part result() const {
    Part part;
    std::memcpy(&part, readback_.data(), sizeof(Part));
    return part;
  }
  // The result of the last started reduction where loops can read it: for those queued after it, without waiting.
  const Part* on_backend() const {
    return static_cast<const Part*>(backend_.is_cuda() ? static_cast<const void*>(parts_.data()) : readback_.data());
  }

 private:
  Backend& backend_;
  Array<std::byte> parts_;
  std::vector<Part> rows_;  // kept, so that no frame allocates
  AsyncReadback readback_;
};

// Sums and extremes of a field from one pass.
struct FieldSums {
  double total = 0;  // of the finite cells, like low and high
  float low = FLT_MAX, high = -FLT_MAX;
  std::int64_t first_bad = INT64_MAX;  // row-major index of the first cell that is not finite
  PERTURB_HD void merge(const FieldSums& other) {
    total += other.total;
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
    first_bad = other.first_bad < first_bad ? other.first_bad : first_bad;
  }
  bool finite() const { return first_bad == INT64_MAX; }
};

// The contribution of a cell, for Reduction<FieldSums>.
struct FieldSum {
  View2D<const float> field;
  PERTURB_HD void operator()(int i, int j, FieldSums& into) const {
    const float value = field(i, j);
    if (!std::isfinite(value)) {
      const std::int64_t index = static_cast<std::int64_t>(j) * field.width + i;
      into.first_bad = index < into.first_bad ? index : into.first_bad;
      return;
    }
    into.total += static_cast<double>(value);
    into.low = value < into.low ? value : into.low;
    into.high = value > into.high ? value : into.high;
  }
};

}  // namespace perturb
