// The membrane in time: as a time factor of the steady solution, u cos(k t), or at a resonance an amplitude that grows
// from rest; or step by step.
#pragma once

#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/saved.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// Whether the frequency is that of a mode, so that there is no steady response.
bool membrane_is_resonant(const Parameters& p);
// Offset from a mode at which the growing response is computed: added to sigma - k².
double detuning(const Parameters& p);

class Oscillation {
 public:
  double time() const { return time_; }
  // `frequency`: of the oscillation.
  void step(double time_step, double frequency) {
    time_ += time_step;
    phase_ += frequency * time_step;
  }
  // Call after a new solution, at a mode or not. With `restart` the membrane starts an oscillation at maximum
  // displacement, or at a mode from rest.
  void update(bool is_resonant, bool restart);

  bool resonant() const { return resonant_since_ >= 0; }
  // Factors of the amplitude: of its growth so far, and at the current time. `solved`: the parameters of the solution.
  // Both are 1 for a complex response, whose phase determines the displacement.
  double growth(const Parameters& solved) const;
  double factor(const Parameters& solved) const;
  double phase() const { return phase_; }
  // cos(k t) in the middle of the last step: the drive of a membrane that moves in time.
  double drive(const Parameters& p) const;

  void save_to(Saved& saved) const {
    saved.phase = phase_;
    saved.resonant_since = resonant_since_;
  }
  // `time`: of the state.
  void load_from(const Saved& saved, double time) {
    time_ = time;
    phase_ = saved.phase;
    resonant_since_ = saved.resonant_since;
  }

 private:
  double time_ = 0, phase_ = 0;
  double resonant_since_ = -1;  // a time; -1: it does not grow
};

// ---- steps
//
// M u'' + c M u' + (K + sigma M) u = F cos(k t), by the implicit midpoint rule (Newmark's with gamma = 1/2, beta =
// 1/4). It is stable for every time step. Without damping and driving it conserves the discrete energy up to the
// solver's tolerance. A mode of frequency omega oscillates with (2/dt) atan(omega dt/2), lower by the fraction (omega
// dt)²/12.

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
  // of the step. `direct`: from the spectrum, which must be usable; otherwise the preconditioner must be prepared for
  // the step's matrix. If the solver does not converge, or is stopped, nothing has changed.
  Solved step(Discretisation& d, const Parameters& p, double drive, bool direct);
  // Adds the velocity nearest (in L²) to the bump velocity·exp(-|x - position|²/width²).
  Solved strike(Discretisation& d, const Parameters& p, const Form& form, Kernel kernel, const Strike& strike);

  // Including the velocity.
  static std::size_t bytes(std::int64_t unknowns) {
    return static_cast<std::size_t>((4 + Discretisation::spare_vectors) * unknowns) * sizeof(double);
  }

 private:
  double* work(const Discretisation& d, int which);

  Backend& backend_;
  Array<double> work_;  // three vectors: a sum, a right-hand side, a solution
};

}  // namespace perturb::membrane
