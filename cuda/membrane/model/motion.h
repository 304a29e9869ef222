// The membrane in time: M u'' + c M u' + (K + sigma M) u = F cos(k t), by the implicit midpoint rule (Newmark's with
// gamma = 1/2, beta = 1/4). It is stable for every time step. Without damping and driving it conserves the discrete
// energy up to the solver's tolerance. A mode of frequency omega oscillates with (2/dt) atan(omega dt/2), lower by the
// fraction (omega dt)²/12.
#pragma once

#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

// The matrix of a step is K + this·M.
double step_shift(const Parameters& p);

struct Strike {
  double x = 0.5, y = 0.5;
  double velocity = 1;  // at the centre, height/time
};

// Energy of the discrete membrane: v·M v/2 + u·(K + sigma M) u/2.
double motion_energy(Discretisation& d, const Parameters& p);

class Motion {
 public:
  explicit Motion(Backend& backend) : backend_(backend) {}

  // Advances the discretisation's solution and velocity by a time step; `drive` is the factor of the load in the middle
  // of the step. The preconditioner must be prepared for the step's matrix. If the solver does not converge, or is
  // stopped, nothing has changed.
  Solved step(Discretisation& d, const Parameters& p, double drive);
  // Adds the velocity nearest (in L²) to the bump velocity·exp(-|x - position|²/width²).
  Solved strike(Discretisation& d, const Parameters& p, const Form& form, Kernel kernel, const Strike& strike);

  // Including the velocity.
  static std::size_t bytes(std::int64_t unknowns) { return static_cast<std::size_t>(4 * unknowns) * sizeof(double); }

 private:
  double* work(const Discretisation& d, int which);

  Backend& backend_;
  Array<double> work_;  // three vectors: a sum, a right-hand side, a solution
};

}  // namespace perturb::membrane
