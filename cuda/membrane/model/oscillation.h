// Time factor of the solution: u cos(k t), or at a resonance an amplitude that grows from rest.
#pragma once

#include "cuda/membrane/parameters.h"
#include "cuda/membrane/state/saved.h"

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

  void save_to(Saved& saved) const { saved.phase = phase_, saved.resonant_since = resonant_since_; }
  // `time`: of the state.
  void load_from(const Saved& saved, double time) {
    time_ = time, phase_ = saved.phase, resonant_since_ = saved.resonant_since;
  }

 private:
  double time_ = 0, phase_ = 0;
  double resonant_since_ = -1;  // a time; -1: it does not grow
};

}  // namespace perturb::membrane
