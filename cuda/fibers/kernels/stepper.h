// A step in time: by the scheme that is chosen, and then apart again those that it brought into each other.
#pragma once

#include <cstddef>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/forces.h"
#include "cuda/fibers/model/state.h"

namespace perturb::fibers {

// Where the stages of Runge-Kutta's scheme look, and the rates that they find there: [fibers][3] each, the backend's.
struct Stages {
  Stages() = default;
  // Throws Error when memory is short.
  Stages(Backend& backend, int fibers);
  static std::size_t bytes(int fibers);
  Array<double> x, t, v2, w2, v3, w3, v4, w4;
};

class Stepper {
 public:
  explicit Stepper(Backend& backend) : backend_(backend) {}

  // For as many fibers as these stages have room for.
  void take(Stages stages) { stages_ = std::move(stages); }
  // Moves the fibers by a time step from a state whose forces are found; those of the new one are not yet. False: the
  // forces of a stage were not found, and nothing has moved.
  bool step(const Forcing& now, FiberState& state, FiberForces& forces);

 private:
  void multistep(const FiberParameters& parameters, FiberState& state);
  bool runge_kutta(const Forcing& now, FiberState& state, FiberForces& forces);

  Backend& backend_;
  Stages stages_;
};

}  // namespace perturb::fibers
