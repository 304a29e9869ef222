// How the solved amplitude moves in time: as u cos(k t), and at a resonance growing from rest.
#pragma once

#include "cuda/membrane/parameters.h"
#include "cuda/membrane/state/saved.h"

namespace perturb::membrane {

// Whether the frequency meets a mode of the membrane, so that there is no steady response.
bool membrane_is_resonant(const Parameters& p);
// How far beside a mode the response is computed that then grows: what is added to sigma - k².
double detuning(const Parameters& p);

class Oscillation {
 public:
  double time() const { return time_; }
  // `frequency`: of the swing.
  void step(double time_step, double frequency) {
    time_ += time_step;
    phase_ += frequency * time_step;
  }
  // A new solution, at a mode or not. With `anew` the membrane swings in another way than before: it starts from its
  // crest, or at a mode from rest.
  void update(bool is_resonant, bool restart);

  bool resonant() const { return resonant_since_ >= 0; }
  // What the amplitude is multiplied by, `solved` being the parameters of the solution: by now, and at this
  // moment. Of a swing that lags both say 1: its phase decides.
  double growth(const Parameters& solved) const;
  double factor(const Parameters& solved) const;
  double phase() const { return phase_; }
  // cos(k t) in the middle of the last step: what drives a membrane that moves in time.
  double drive(const Parameters& p) const;

  void save_to(Saved& saved) const { saved.phase = phase_, saved.resonant_since = resonant_since_; }
  // `time`: the state's own.
  void load_from(const Saved& saved, double time) {
    time_ = time, phase_ = saved.phase, resonant_since_ = saved.resonant_since;
  }

 private:
  double time_ = 0, phase_ = 0;
  double resonant_since_ = -1;  // a time; -1: it does not grow
};

}  // namespace perturb::membrane
