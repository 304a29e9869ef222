// Several loops in one launch: the threads of a team run them together and wait for each other after each.
//
//   struct Step {                                        // a named functor; Team is CpuTeam or CudaTeam
//     PERTURB_HD_AS_GIVEN template <class Team> PERTURB_HD void operator()(Team& team) const {
//       while (!*done) {                                 // every thread takes the same branches: it must read only
//         team.each(count, Move{...});                   // what no thread writes until the next loop has ended
//         team.where(count, Collide{...});
//       }
//     }
//   };
//   run_team(backend, "particles.rounds", count, Step{...});
//
// Loops over items i from 0 to count - 1:
//   each(count, body)    calls body(i)
//   share(count, body)   calls body(i, lanes): on CUDA `lanes.count` neighbouring threads of a warp call it with the
//                        same i, to share its work; on the CPU one thread does
//   where(count, body)   the same for items of which body.concerns(i) is true, if they are few
//
// Why: a launch takes 2 to 3 µs, and a result that the host must read 10 µs more; a barrier takes 1 to 2 µs.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/loops/parallel_for.h"

#if defined(__CUDACC__)
#include "cuda/core/backend/cuda_team.h"
#endif

namespace perturb {

// The one thread that works on an item.
struct SingleLane {
  static constexpr int count = 1;
  int index = 0;
  PERTURB_HD void sync() const {}
  template <class T, class Before>
  PERTURB_HD T first(const T& own, const Before&) const {
    return own;
  }
};

// CPU threads, of which one runs the code between the loops.
class CpuTeam {
 public:
  explicit CpuTeam(CpuBackend& cpu) : cpu_(cpu) {}
  template <class F>
  void each(int count, const F& body) {
    detail::cpu_loop(cpu_, Range1D{count, min_of_cheap}, body);
  }
  template <class F>
  void share(int count, const F& body) {
    detail::cpu_loop(cpu_, Range1D{count, min_of_costly}, WithOneLane<F>{body});
  }
  template <class F>
  void where(int count, const F& body) {
    detail::cpu_loop(cpu_, Range1D{count, min_of_cheap}, WhereConcerned<F>{body});
  }

 private:
  template <class F>
  struct WithOneLane {
    F body;
    void operator()(int i) const { body(i, SingleLane{}); }
  };
  template <class F>
  struct WhereConcerned {
    F body;
    void operator()(int i) const {
      if (body.concerns(i)) body(i, SingleLane{});
    }
  };
  // Items that justify waking a thread.
  static constexpr int min_of_cheap = 1024, min_of_costly = 128;
  CpuBackend& cpu_;
};

// Runs `body(team)`. `items`: of its loops, about; a larger team than they need would wait longer at each barrier.
// Returns when the work is queued (CUDA) or done (CPU). Throws Error if the launch failed.
template <class F>
void run_team(Backend& backend, const char* label, int items, const F& body) {
#if defined(__CUDACC__)
  if (backend.is_cuda()) {
    detail::cuda_launch_team(backend, label, items, body);
    return;
  }
#else
  if (backend.is_cuda()) throw Error("internal: the loops {} were not compiled for CUDA", label);
#endif
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, label);
  (void)items;
  CpuTeam team(cpu);
  body(team);
}

}  // namespace perturb
