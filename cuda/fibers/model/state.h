// The fibers of a run: where they are, how they move, and how both were a step before.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/lengths.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

struct FiberSaved;

// Arrays are the backend's, [fibers][3] where nothing else is said. Velocities and force coefficients belong to the
// places once FiberForces has found them.
struct FiberState {
  // These fibers, with no step before. Throws Error when memory is short.
  FiberState(Backend& backend, const Placement& placement, int terms);
  static std::size_t bytes(int fibers, const FiberParameters& parameters);

  int fibers;
  Array<double> x, t;  // centres and unit tangents
  Array<double> v, w;  // their rates
  Array<double> x_previous, t_previous, v_previous, w_previous;
  Array<double> a;            // force coefficients, [fibers][terms][3]
  bool has_previous = false;  // else a scheme of two steps begins with one of Euler's
  FiberLengths lengths;

  // Of one fiber. Each waits for the device.
  Vector3<double> place_of(int m) const { return row_of(x, m); }
  Vector3<double> direction_of(int m) const { return row_of(t, m); }
  Vector3<double> velocity_of(int m) const { return row_of(v, m); }
  Placement placement() const;
  // What moves the fluid at the places of now.
  FiberSources sources() const { return {fibers, x.data(), t.data(), a.data(), lengths.device()}; }

  // Gives fiber `m` the direction `to`, a unit vector: what was a step before is no longer its past.
  void turn(int m, Vector3<double> to);
  // What a step changes, kept before one that may be given up, and taken back. Queued.
  void keep();
  void restore();

  // `found`: the velocities are those of these places, and are saved too.
  void save_to(FiberSaved& saved, bool found) const;
  // Lays as many fibers otherwise; lengths of their own they have only where there were some before. Returns whether
  // the lengths are others now.
  bool set_placement(const Placement& placement, FiberLengths their_lengths);
  // What was saved of velocities and of the step before; returns whether there are velocities.
  bool load_rates(const FiberSaved& saved);

 private:
  Vector3<double> row_of(const Array<double>& rows, int m) const;
  std::vector<Array<double>*> changed_by_step();

  Backend& backend_;
  std::vector<Array<double>> kept_;
  bool kept_has_previous_ = false;
};

}  // namespace perturb::fibers
