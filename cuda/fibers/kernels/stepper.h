// A time step by the chosen scheme; then overlapping fibers are pushed apart.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/kernels/contact_search.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/model/state.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Work arrays of a step: positions and directions of the stages of Runge-Kutta's scheme, and their rates,
// [fibers][3] each, the backend's; and the search for fibers in contact.
struct Stages {
  Stages() = default;
  // Throws Error when memory is short.
  Stages(Backend& backend, int fibers);
  static std::size_t bytes(int fibers);
  Array<double> x, t, v2, w2, v3, w3, v4, w4;
  std::unique_ptr<ContactSearch> contact;
};

class Stepper {
 public:
  explicit Stepper(Backend& backend) : backend_(backend) {}

  // Replaces the stages; for at most the number of fibers that they were made for.
  void take(Stages stages) { stages_ = std::move(stages); }
  // Moves the fibers by a time step from a state whose forces are known; those of the new state are not computed.
  // False: the forces of a stage failed, and nothing has moved.
  bool step(const Forcing& now, FiberState& state, Forces& forces);

 private:
  void multistep(const Parameters& parameters, FiberState& state);
  void push_apart(const Parameters& parameters, FiberState& state);
  bool runge_kutta(const Forcing& now, FiberState& state, Forces& forces);

  Backend& backend_;
  Stages stages_;
};

// ---- loops over the fibers

PERTURB_HD inline void normalise(double* t) {
  const double length = ::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  t[0] /= length;
  t[1] /= length;
  t[2] /= length;
}

// Step of a multistep scheme, in place; `first`: forward Euler, because there is no previous step. The current values
// become the previous ones.
struct Multistep {
  Scheme scheme;
  bool first;
  double dt;
  double *x, *t, *x_previous, *t_previous;
  const double *v, *w;
  double *v_previous, *w_previous;
  PERTURB_HD double next(double y, double before, double rate, double rate_before) const {
    if (first) return y + dt * rate;
    if (scheme == Scheme::two_step) return (4 * y - before + 2 * dt * (2 * rate - rate_before)) / 3;
    return y + dt * (1.5 * rate - 0.5 * rate_before);
  }
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = 3 * static_cast<std::size_t>(m);
    for (std::size_t k = at; k < at + 3; ++k) {
      const double new_x = next(x[k], x_previous[k], v[k], v_previous[k]);
      const double new_t = next(t[k], t_previous[k], w[k], w_previous[k]);
      x_previous[k] = x[k];
      t_previous[k] = t[k];
      v_previous[k] = v[k];
      w_previous[k] = w[k];
      x[k] = new_x;
      t[k] = new_t;
    }
    normalise(t + at);
  }
};

// Positions and directions of a Runge-Kutta stage.
struct Stage {
  const double *x, *t, *v, *w;
  double h;
  double *x_stage, *t_stage;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = 3 * static_cast<std::size_t>(m);
    for (std::size_t k = at; k < at + 3; ++k) {
      x_stage[k] = x[k] + h * v[k];
      t_stage[k] = t[k] + h * w[k];
    }
    normalise(t_stage + at);
  }
};

struct RungeKutta {
  double *x, *t, *x_previous, *t_previous;
  const double *v1, *w1, *v2, *w2, *v3, *w3, *v4, *w4;
  double dt;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = 3 * static_cast<std::size_t>(m);
    for (std::size_t k = at; k < at + 3; ++k) {
      x_previous[k] = x[k];
      t_previous[k] = t[k];
      x[k] += dt / 6 * (v1[k] + 2 * v2[k] + 2 * v3[k] + v4[k]);
      t[k] += dt / 6 * (w1[k] + 2 * w2[k] + 2 * w3[k] + w4[k]);
    }
    normalise(t + at);
  }
};

}  // namespace perturb::fibers
