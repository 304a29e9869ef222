// A time step by the chosen scheme; then overlapping fibers are pushed apart.
#pragma once

#include <cstddef>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/forces.h"
#include "cuda/fibers/model/state.h"

namespace perturb::fibers {

// Positions and directions of the stages of Runge-Kutta's scheme, and their rates: [fibers][3] each, the backend's.
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

  // Replaces the stages; for at most the number of fibers that they were made for.
  void take(Stages stages) { stages_ = std::move(stages); }
  // Moves the fibers by a time step from a state whose forces are known; those of the new state are not computed.
  // False: the forces of a stage failed, and nothing has moved.
  bool step(const Forcing& now, FiberState& state, FiberForces& forces);

 private:
  void multistep(const FiberParameters& parameters, FiberState& state);
  bool runge_kutta(const Forcing& now, FiberState& state, FiberForces& forces);

  Backend& backend_;
  Stages stages_;
};

}  // namespace perturb::fibers
