// One launch call for both backends: parallel_for, and parallel_tasks for tasks that cost more than a cell.
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

#include <cstdint>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/backend/view.h"

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
  cpu.pool().for_row_blocks(range.height, min_loop_rows(range.width), RowBlock(rows));
}

template <class F>
void cpu_loop(CpuBackend& cpu, Range1D range, const F& body) {
  const auto block = [&](int begin, int end) {
    const F local = body;
    for (int i = begin; i < end; ++i) local(i);
  };
  cpu.pool().for_row_blocks(range.size, range.min_share, RowBlock(block));
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
  if (backend.is_cuda()) throw Error("internal: the loop {} was not compiled for CUDA", label);
#endif
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, label);
  detail::cpu_loop(cpu, range, body);
}

// The same, for loops that the launch overlay shows. On CUDA in blocks of this shape, which a BlockRecorder can record
// (on a CPU it can record every loop): the kernel is compiled twice.
template <class F>
void parallel_for_shown(Backend& backend, const char* label, Range2D range, const F& body,
                        [[maybe_unused]] LoopBlock block = {}) {
#if defined(__CUDACC__)
  if (backend.is_cuda()) {
    const LoopBlocks blocks = loop_blocks(range.width, range.height, block);
    if (BlockStart* starts = begin_block_record(backend, label, blocks.x, blocks.y))
      detail::cuda_launch(backend, label, range, detail::RecordedLoop<F>{body, {starts}}, block);
    else
      detail::cuda_launch(backend, label, range, body, block);
    return;
  }
#endif
  parallel_for(backend, label, range, body);
}

// For studies of block sizes. Runs `body(i)` for every i of `range`, on CUDA in blocks of `block` threads (1 to 256).
// Otherwise like parallel_for.
template <class F>
void parallel_for_in_blocks(Backend& backend, const char* label, Range1D range, int block, const F& body) {
#if defined(__CUDACC__)
  if (backend.is_cuda()) {
    if (range.size <= 0) return;
    const CudaLaunch launch(backend, label);
    detail::run_functor_1d<<<(range.size + block - 1) / block, block, 0, launch.stream()>>>(range.size, body);
    return;
  }
#endif
  (void)block;
  parallel_for(backend, label, range, body);
}

// A parallel loop over tasks that cost more than a cell: the rows of a block matrix, the integrals of a patch.
//
//   struct Rows {                                               // a named functor, as for parallel_for
//     PERTURB_HD void operator()(int task, int lane) const;     // lane in [0, lanes): a part of the task
//     void task(int task) const;                                // optional, for the CPU: all lanes at once
//   };
//   parallel_tasks(backend, "matrix.rows", Tasks{rows, lanes, operations}, Rows{...});
struct Tasks {
  int count = 0;
  int lanes = 1;
  double operations = 100;  // approximate operations per task: determines how many tasks justify waking a thread
};

namespace detail {

// Lanes of one task are adjacent, so that few threads of a warp are idle for any number of lanes.
template <class F>
struct TaskLanes {
  F body;
  int lanes;
  PERTURB_HD void operator()(int index) const { body(index / lanes, index % lanes); }
};

}  // namespace detail

// Runs `body(task, lane)` for all tasks and lanes, in undefined order; lanes must not read what others write. Returns
// when the work is queued (CUDA) or done (CPU). Throws Error if the launch failed.
template <class F>
void parallel_tasks(Backend& backend, const char* label, const Tasks& tasks, const F& body) {
  if (tasks.count <= 0 || tasks.lanes <= 0) return;
  if (backend.is_cuda()) {
    parallel_for(backend, label, Range1D{tasks.count * tasks.lanes}, detail::TaskLanes<F>{body, tasks.lanes});
    return;
  }
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, label);
  const auto block = [&](int begin, int end) {
    const F local = body;
    for (int task = begin; task < end; ++task) {
      if constexpr (requires { local.task(0); }) {
        local.task(task);
      } else {
        for (int lane = 0; lane < tasks.lanes; ++lane) local(task, lane);
      }
    }
  };
  constexpr double operations_worth_a_thread = 20000;
  const double min_tasks = 1 + operations_worth_a_thread / (tasks.operations > 1 ? tasks.operations : 1);
  cpu.pool().for_row_blocks(tasks.count, min_tasks < tasks.count ? static_cast<int>(min_tasks) : tasks.count,
                            RowBlock(block));
}

}  // namespace perturb
