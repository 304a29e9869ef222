// An ear: resonators side by side, each with a frequency of its own, that hear the displacement at one point. How far
// each swings is the spectrum, always up to date and without keeping what was heard.
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
  // How long a resonator remembers: a line is 2/memory wide (full width at 1/sqrt(2) of its height).
  static constexpr double memory = 10;

  // Hears u for a time step.
  void add_sample(double u, const Parameters& p);
  // Another ear, or other resonators, begin from silence.
  void update(const Parameters& p) {
    if (!fits(p)) bank_.clear(), sampled_time_ = 0;
  }
  bool has_samples() const { return sampled_time_ > 0; }

  // The amplitude by frequency, as decimal logarithms, of what was heard; as theory a comb above it, whose teeth stand
  // at the frequencies of the modes that can be heard at the ear.
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
  double from_ = 0, to_ = 0, x_ = 0, y_ = 0;  // what the bank was made for
};

}  // namespace perturb::membrane
