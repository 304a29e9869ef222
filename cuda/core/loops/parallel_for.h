// One launch call for both backends.
//
//   struct Scale {                           // a named functor: labels and profilers show its name, and nvcc can
//     View2D<float> u; float factor;         // inline it on the CPU (a host-device lambda it cannot: 5x slower)
//     PERTURB_HD void operator()(int i, int j) const { u(i, j) *= factor; }
//   };
//   parallel_for(backend, "wave.scale", Range2D{width, height}, Scale{u.view(), 2.f});
//
// On the CPU a functor may also provide `void row(int begin, int end, int j) const`, which gets a whole range of
// columns at once: for loops that a compiler should vectorise without the tests that the edge needs. Or `void rows(int
// begin, int end, int width) const`, which gets a block of whole rows: for loops that reuse values shared by rows.
#pragma once

#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/loops/range.h"

#if defined(__CUDACC__)
#include "cuda/core/backend/cuda_launch.h"
#endif

namespace perturb {

namespace detail {

template <class F>
void cpu_loop(CpuBackend& cpu, Range2D range, const F& body) {
  const auto rows = [&](int begin, int end) {
    const F local = body;  // a copy that the compiler can keep in registers
    if constexpr (requires { local.rows(0, 0, 0); }) {
      local.rows(begin, end, range.width);
    } else {
      for (int j = begin; j < end; ++j) {
        if constexpr (requires { local.row(0, 0, 0); }) {
          local.row(0, range.width, j);
        } else {
          for (int i = 0; i < range.width; ++i) local(i, j);
        }
      }
    }
  };
  // Waking a thread is not worthwhile for a block of less than about 4096 cells.
  const int least = range.width > 0 ? 1 + 4095 / range.width : 1;
  cpu.pool().for_row_blocks(range.height, least, RowBlock(rows));
}

template <class F>
void cpu_loop(CpuBackend& cpu, Range1D range, const F& body) {
  const auto block = [&](int begin, int end) {
    const F local = body;
    for (int i = begin; i < end; ++i) local(i);
  };
  cpu.pool().for_row_blocks(range.size, range.least, RowBlock(block));
}

}  // namespace detail

// Runs `body(i, j)` for every cell of `range`, or `body(i)` for a Range1D. The order is undefined; bodies must not
// write where others read. Returns when the work is queued (CUDA) or done (CPU). Throws Error if the launch failed.
template <class Range, class F>
void parallel_for(Backend& backend, const char* label, Range range, const F& body) {
#if defined(__CUDACC__)
  if (backend.is_cuda()) {
    detail::cuda_launch(backend, label, range, body);
    return;
  }
#else
  if (backend.is_cuda()) throw Error(std::string("internal: the loop ") + label + " was not compiled for CUDA");
#endif
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, label);
  detail::cpu_loop(cpu, range, body);
}

}  // namespace perturb
