// Spectrum at one point, updated in every step: a bank of resonators, each with its own frequency, driven by the
// displacement at that point. Their amplitudes are the spectrum; past samples are not stored.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/parameters.h"
#include "cuda/membrane/state/saved.h"

namespace perturb::membrane {

class ResonatorBank {
 public:
  static constexpr std::size_t resonator_count = 600;
  // Decay time of a resonator: a line is 2/memory wide (full width at 1/sqrt(2) of its height).
  static constexpr double memory = 10;

  // Adds the displacement u of one time step.
  void add_sample(double u, const Parameters& p);
  // Starts again from zero if the point or the frequencies have changed.
  void update(const Parameters& p) {
    if (!fits(p)) {
      bank_.clear();
      sampled_time_ = 0;
    }
  }
  bool has_samples() const { return sampled_time_ > 0; }

  // The amplitude by frequency of the samples so far, as decimal logarithms. As theory a comb above it, with a tooth at
  // the frequency of each mode that does not vanish at the point.
  Curve spectrum(const Parameters& p) const;

  void save_to(Saved& saved) const;
  void load_from(const Saved& saved, const Parameters& p);

 private:
  bool fits(const Parameters& p) const {
    return from_ == p.sweep_from && to_ == p.sweep_to && x_ == p.ear_x && y_ == p.ear_y;
  }
  static double frequency(std::size_t k, const Parameters& p);

  std::vector<std::complex<double>> bank_;
  double sampled_time_ = 0;
  double from_ = 0, to_ = 0, x_ = 0, y_ = 0;  // parameters for which the bank was made
};

}  // namespace perturb::membrane
