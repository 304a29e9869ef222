// The forces on the fibers, and the velocities that follow: found once for each state, by the way that is chosen for
// their number.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/kernels/plan.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/state.h"

namespace perturb::fibers {

// What acts on the fibers at a moment.
struct Forcing {
  const FiberParameters& parameters;
  FiberPull pull;
  std::int64_t step;
};

class FiberForces {
 public:
  explicit FiberForces(Backend& backend) : backend_(backend) {}

  // How so many fibers would be computed by a kernel (an id, or "auto"), with the memory that is free once the matrix
  // of now is given back. Throws InputError for an unknown kernel.
  Plan plan(int fibers, const FiberParameters& parameters, const std::string& kernel) const;
  // What computes by this plan; `lengths` stay where they are for as long as it is used. Throws Error when memory is
  // short.
  std::unique_ptr<FiberFlow> make_flow(const Plan& plan, const FiberParameters& parameters, int fibers,
                                       FiberLengths& lengths) const;
  // Computes so from now on. Cannot be refused.
  void take(const Plan& plan, std::unique_ptr<FiberFlow> flow);
  // Another kernel for the same fibers. Throws as plan() and make_flow() do, and then computes as before.
  void select(const std::string& kernel, const FiberParameters& parameters, FiberState& state);
  // Gives the matrix back, so that two never lie in memory at once; the next evaluation would compute it anew anyway.
  void release_matrix();
  // The fibers have other lengths, in the same place.
  void take_lengths(FiberLengths& lengths) { flow_->set_lengths(&lengths); }

  // Velocities and coefficients of the state's places; once for each state. One that takes long may be given up
  // (Stopped): then there are none.
  void find(const Forcing& now, FiberState& state);
  // The same of other places than the state's: rates [fibers][3] of places `x` and directions `t`. False: not found.
  bool find_at(const Forcing& now, const double* x, const double* t, double* v, double* w, double* a);
  bool found() const { return found_; }
  // The state has moved on; or it became another one, or other forces act.
  void invalidate() { found_ = false; }
  void forget() { found_ = false, seconds_ = INFINITY, failure_.clear(); }
  // The velocities that lie in the state are those of its places, as they were found by this; nothing of it: loaded.
  void set_found(const Solve& solve = {}) { found_ = true, solve_ = solve; }
  void restore_solution(const Solve& solve) { set_found(solve), failure_.clear(); }

  // Whether an evaluation takes so long that a step is worth giving up inside; so too while none has been timed.
  bool is_slow() const;
  const Solve& solve() const { return solve_; }            // of the last evaluation
  const std::string& failure() const { return failure_; }  // a sentence, where forces were not found; else empty
  const std::string& text() const { return plan_.words; }
  std::size_t matrix_bytes() const { return flow_->matrix_bytes(); }
  double closed_pairs() const { return flow_->closed_pairs(); }

  // What a step costs with a kernel, by the iterations of the last evaluation; and how that is launched.
  StepCost cost(const std::string& kernel, const FiberParameters& parameters) const;
  LaunchShape launch_shape(const std::string& kernel, const FiberParameters& parameters) const;

 private:
  FiberKernel resolve_kernel(const std::string& id) const { return id == "auto" ? plan_.kernel : fiber_kernel_of(id); }
  void note(const Solve& solve, const Forcing& now);

  Backend& backend_;
  Plan plan_;
  std::unique_ptr<FiberFlow> flow_;
  bool found_ = false;
  Solve solve_;
  double seconds_ = INFINITY;  // of the last evaluation; infinite: not known yet
  std::string failure_;
};

}  // namespace perturb::fibers
