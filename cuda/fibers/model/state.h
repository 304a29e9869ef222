// State of the fibers of a run: positions and rates, now and one step before.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/lengths.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

struct FiberSaved;

// Arrays are the backend's, [fibers][3] unless stated otherwise. Velocities and force coefficients are valid for the
// positions once FiberForces has computed them.
struct FiberState {
  // These fibers, without a previous step. Throws Error when memory is short.
  FiberState(Backend& backend, const Placement& placement, int terms);
  static std::size_t bytes(int fibers, const FiberParameters& parameters);

  int fibers;
  Array<double> x, t;  // centres and unit tangents
  Array<double> v, w;  // their rates
  Array<double> x_previous, t_previous, v_previous, w_previous;
  Array<double> a;            // force coefficients, [fibers][terms][3]
  bool has_previous = false;  // else a two-step scheme begins with an Euler step
  FiberLengths lengths;

  // Of one fiber. Each waits for the device.
  Vector3<double> place_of(int m) const { return row_of(x, m); }
  Vector3<double> direction_of(int m) const { return row_of(t, m); }
  Vector3<double> velocity_of(int m) const { return row_of(v, m); }
  Placement placement() const;
  // Sources of the flow at the current positions.
  FiberSources sources() const { return {fibers, x.data(), t.data(), a.data(), lengths.device()}; }

  // Gives fiber `m` the direction `to`, a unit vector, and discards the previous step.
  void turn(int m, Vector3<double> to);
  // Copies the members that a step changes, before a step that may be stopped, and restores them. Queued.
  void keep();
  void restore();

  // `found`: the velocities are valid for these positions, and are saved too.
  void save_to(FiberSaved& saved, bool found) const;
  // Places the same number of fibers elsewhere; they can have lengths only if there were some before. Returns whether
  // the lengths have changed.
  bool set_placement(const Placement& placement, FiberLengths their_lengths);
  // Loads velocities and the previous step; returns whether there are velocities.
  bool load_rates(const FiberSaved& saved);

 private:
  Vector3<double> row_of(const Array<double>& rows, int m) const;
  std::vector<Array<double>*> changed_by_step();

  Backend& backend_;
  std::vector<Array<double>> kept_;
  bool kept_has_previous_ = false;
};

}  // namespace perturb::fibers
