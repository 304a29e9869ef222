// A parallel loop over tasks that cost more than a cell: the rows of a block matrix, the integrals of a patch.
//
//   struct Rows {                                               // a named functor, as for parallel_for
//     PERTURB_HD void operator()(int task, int lane) const;     // lane in [0, lanes): a part of the task
//     void task(int task) const;                                // optional, for the CPU: all lanes at once
//   };
//   parallel_tasks(backend, "matrix.rows", Tasks{rows, lanes, operations}, Rows{...});
#pragma once

#include <cstdint>

#include "cuda/core/loops/parallel_for.h"

namespace perturb {

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
  const double least = 1 + operations_worth_a_thread / (tasks.operations > 1 ? tasks.operations : 1);
  cpu.pool().for_row_blocks(tasks.count, least < tasks.count ? static_cast<int>(least) : tasks.count, RowBlock(block));
}

}  // namespace perturb
