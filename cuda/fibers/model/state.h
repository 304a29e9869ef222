// State of the fibers of a run: positions and rates, now and one step before. The forces on the fibers, and the
// resulting velocities, are computed once for each state, by the method chosen for the number of fibers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/plan.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

struct Saved;

// Arrays are the backend's, [fibers][3] unless stated otherwise. Velocities and force coefficients are valid for the
// positions once Forces has computed them.
struct FiberState {
  // These fibers, without a previous step. Throws Error when memory is short.
  FiberState(Backend& backend, const Placement& placement, int terms);
  static std::size_t bytes(int fibers, const Parameters& parameters);

  int fibers;
  Array<double> x, t;  // centres and unit tangents
  Array<double> v, w;  // their rates
  Array<double> x_previous, t_previous, v_previous, w_previous;
  Array<double> a;            // force coefficients, [fibers][terms][3]
  bool has_previous = false;  // else a two-step scheme begins with an Euler step
  Lengths lengths;

  // Of one fiber. Each waits for the device.
  Vector3<double> position_of(int m) const { return row_of(x, m); }
  Vector3<double> direction_of(int m) const { return row_of(t, m); }
  Vector3<double> velocity_of(int m) const { return row_of(v, m); }
  Placement placement() const;
  // Sources of the flow at the current positions.
  Sources sources() const { return {fibers, x.data(), t.data(), a.data(), lengths.device()}; }

  // Gives fiber `m` the direction `to`, a unit vector, and discards the previous step.
  void turn(int m, Vector3<double> to);
  // Copies the members that a step changes, before a step that may be stopped, and restores them. Queued.
  void keep();
  void restore();

  // `found`: the velocities are valid for these positions, and are saved too.
  void save_to(Saved& saved, bool found) const;
  // Places the same number of fibers elsewhere; they can have lengths only if there were some before. Returns whether
  // the lengths have changed.
  bool set_placement(const Placement& placement, Lengths their_lengths);
  // Loads velocities and the previous step; returns whether there are velocities.
  bool load_rates(const Saved& saved);

 private:
  Vector3<double> row_of(const Array<double>& rows, int m) const;
  std::vector<Array<double>*> changed_by_step();

  Backend& backend_;
  std::vector<Array<double>> kept_;
  bool kept_has_previous_ = false;
};

// ---- forces

// External forcing at an instant.
struct Forcing {
  const Parameters& parameters;
  Pull pull;
  std::int64_t step;
};

class Forces {
 public:
  explicit Forces(Backend& backend) : backend_(backend) {}

  // Plan for this number of fibers with a kernel (an id, or "auto"), with the memory that is free once the current
  // matrix is released. Throws InputError for an unknown kernel.
  Plan plan(int fibers, const Parameters& parameters, const std::string& kernel) const;
  // Object that computes by this plan; `lengths` must outlive it. Throws Error when memory is short.
  std::unique_ptr<Flow> make_flow(const Plan& plan, const Parameters& parameters, int fibers, Lengths& lengths) const;
  // Switches to this plan and object. Cannot fail.
  void take(const Plan& plan, std::unique_ptr<Flow> flow);
  // Selects another kernel for the same fibers. Throws as plan() and make_flow() do, and is unchanged then.
  void select(const std::string& kernel, const Parameters& parameters, FiberState& state);
  // Releases the matrix, so that two are never in memory at once; the next evaluation recomputes it anyway.
  void release_matrix();
  // The lengths have been replaced, at the same address.
  void take_lengths(Lengths& lengths) { flow_->set_lengths(&lengths); }

  // Computes velocities and coefficients of the state's positions; once for each state. A long evaluation may be
  // stopped (Stopped): then there are none.
  void find(const Forcing& now, FiberState& state);
  // The same for other positions than the state's: rates [fibers][3] of positions `x` and directions `t`. False: it
  // failed.
  bool find_at(const Forcing& now, const double* x, const double* t, double* v, double* w, double* a);
  bool found() const { return found_; }
  // Call after the state or the forces have changed.
  void invalidate() { found_ = false; }
  void forget() {
    found_ = false;
    seconds_ = INFINITY;
    failure_ = {};
  }
  // Marks the velocities in the state as valid for its positions, with the solution that gave them; empty: loaded.
  void set_found(const Solve& solve = {}) {
    found_ = true;
    solve_ = solve;
  }
  void restore_solution(const Solve& solve) {
    set_found(solve);
    failure_ = {};
  }

  // Whether an evaluation is long enough to be interruptible within a step; also true until one has been timed.
  bool is_slow() const;
  const Solve& solve() const { return solve_; }        // of the last evaluation
  const Message& failure() const { return failure_; }  // message, if forces were not found; else empty
  const Message& text() const { return plan_.words; }
  std::size_t matrix_bytes() const { return flow_->matrix_bytes(); }
  double closed_pairs() const { return flow_->closed_pairs(); }

  // Cost of a step with a kernel, by the iterations of the last evaluation, and its launch.
  StepCost cost(const std::string& kernel, const Parameters& parameters) const;
  LaunchShape launch_shape(const std::string& kernel, const Parameters& parameters) const;

 private:
  Kernel resolve_kernel(const std::string& id) const { return id == "auto" ? plan_.kernel : fiber_kernel_of(id); }
  void note(const Solve& solve, const Forcing& now);

  Backend& backend_;
  Plan plan_;
  std::unique_ptr<Flow> flow_;
  bool found_ = false;
  Solve solve_;
  double seconds_ = INFINITY;  // of the last evaluation; infinite: not known yet
  Message failure_;
};

}  // namespace perturb::fibers
