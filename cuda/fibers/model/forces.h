// Forces on the fibers, and the resulting velocities: computed once for each state, by the method chosen for their
// number.
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

// External forcing at an instant.
struct Forcing {
  const FiberParameters& parameters;
  FiberPull pull;
  std::int64_t step;
};

class FiberForces {
 public:
  explicit FiberForces(Backend& backend) : backend_(backend) {}

  // Plan for this number of fibers with a kernel (an id, or "auto"), with the memory that is free once the current
  // matrix is released. Throws InputError for an unknown kernel.
  Plan plan(int fibers, const FiberParameters& parameters, const std::string& kernel) const;
  // Object that computes by this plan; `lengths` must outlive it. Throws Error when memory is short.
  std::unique_ptr<FiberFlow> make_flow(const Plan& plan, const FiberParameters& parameters, int fibers,
                                       FiberLengths& lengths) const;
  // Switches to this plan and object. Cannot fail.
  void take(const Plan& plan, std::unique_ptr<FiberFlow> flow);
  // Selects another kernel for the same fibers. Throws as plan() and make_flow() do, and is unchanged then.
  void select(const std::string& kernel, const FiberParameters& parameters, FiberState& state);
  // Releases the matrix, so that two are never in memory at once; the next evaluation recomputes it anyway.
  void release_matrix();
  // The lengths have been replaced, at the same address.
  void take_lengths(FiberLengths& lengths) { flow_->set_lengths(&lengths); }

  // Computes velocities and coefficients of the state's positions; once for each state. A long evaluation may be
  // stopped (Stopped): then there are none.
  void find(const Forcing& now, FiberState& state);
  // The same for other positions than the state's: rates [fibers][3] of positions `x` and directions `t`. False: it
  // failed.
  bool find_at(const Forcing& now, const double* x, const double* t, double* v, double* w, double* a);
  bool found() const { return found_; }
  // Call after the state or the forces have changed.
  void invalidate() { found_ = false; }
  void forget() { found_ = false, seconds_ = INFINITY, failure_.clear(); }
  // Marks the velocities in the state as valid for its positions, with the solution that gave them; empty: loaded.
  void set_found(const Solve& solve = {}) { found_ = true, solve_ = solve; }
  void restore_solution(const Solve& solve) { set_found(solve), failure_.clear(); }

  // Whether an evaluation is long enough to be interruptible within a step; also true until one has been timed.
  bool is_slow() const;
  const Solve& solve() const { return solve_; }            // of the last evaluation
  const std::string& failure() const { return failure_; }  // message, if forces were not found; else empty
  const std::string& text() const { return plan_.words; }
  std::size_t matrix_bytes() const { return flow_->matrix_bytes(); }
  double closed_pairs() const { return flow_->closed_pairs(); }

  // Cost of a step with a kernel, by the iterations of the last evaluation, and its launch.
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
