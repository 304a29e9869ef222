// The membrane in time: M u'' + c M u' + (K + sigma M) u = F cos(k t), by the implicit midpoint rule (Newmark's with
// gamma = 1/2, beta = 1/4). It is stable for every time step, keeps the discrete energy to the solver's tolerance where
// nothing damps or drives, and takes the frequency omega of a mode for (2/dt) atan(omega dt/2):
// (omega dt)²/12 of it less.
#pragma once

#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

// What a step solves with is K + this·M.
double step_shift(const Parameters& p);

struct Strike {
  double x = 0.5, y = 0.5;
  double velocity = 1;  // in the middle, height/time
};

// Of the discrete membrane: v·M v/2 + u·(K + sigma M) u/2.
double motion_energy(Discretisation& d, const Parameters& p);

class Motion {
 public:
  explicit Motion(Backend& backend) : backend_(backend) {}

  // Moves the discretisation's solution and velocity on by a time step; `drive` is what the load is multiplied by in
  // the middle of it. The preconditioner has been made for the step's matrix. Where it does not converge, or is
  // stopped, nothing has moved.
  Solved step(Discretisation& d, const Parameters& p, double drive);
  // Adds the velocity that is nearest (in L²) to the bump velocity·exp(-|x - place|²/width²).
  Solved strike(Discretisation& d, const Parameters& p, const Form& form, Kernel kernel, const Strike& strike);

  // With the velocity.
  static std::size_t bytes(std::int64_t unknowns) { return static_cast<std::size_t>(4 * unknowns) * sizeof(double); }

 private:
  double* work(const Discretisation& d, int which);

  Backend& backend_;
  Array<double> work_;  // three vectors: a sum, a right-hand side, a solution
};

}  // namespace perturb::membrane
