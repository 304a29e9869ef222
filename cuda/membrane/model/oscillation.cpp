#include "cuda/membrane/model/oscillation.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/math/elementary.h"
#include "cuda/membrane/measure/theory.h"

namespace perturb::membrane {

namespace {

// Within this distance of a mode (relative to its eigenvalue) the steady response is meaningless: the scheme's own
// eigenvalue, which is as far away, would determine its sign and size. The growing response is shown instead.
constexpr double resonance_margin = 2e-5;

}  // namespace

bool membrane_is_resonant(const Parameters& p) {
  if (p.motion != Movement::steady || p.is_complex()) return false;
  const Mode mode = nearest_mode(p, -p.shift());
  return std::abs(mode.eigenvalue + p.shift()) < resonance_margin * std::max(std::abs(mode.eigenvalue), 1.0);
}

double detuning(const Parameters& p) { return std::clamp(1e-3 * std::abs(p.shift()), 0.01, 0.5); }

void Oscillation::update(bool is_resonant, bool restart) {
  if (is_resonant && !resonant()) resonant_since_ = time_;
  if (!is_resonant) resonant_since_ = -1;
  if (restart && is_resonant) phase_ = 0;
}

double Oscillation::drive(const Parameters& p) const { return cosine(phase_ - 0.5 * p.frequency * p.time_step); }

// A resonant mode driven from rest follows f t sin(k t)/(2 k), and without a frequency f t²/2. The solution computed
// next to the mode is f/detuning.
double Oscillation::growth(const Parameters& solved) const {
  if (!resonant()) return 1;
  const double t = time_ - resonant_since_, k = solved.frequency;
  return detuning(solved) * (k > 0 ? t / (2 * k) : 0.5 * t * t);
}

double Oscillation::factor(const Parameters& solved) const {
  if (solved.in_time() || solved.is_complex()) return 1;
  if (resonant() && solved.frequency > 0) return growth(solved) * sine(phase_);
  return growth(solved) * cosine(phase_);
}

}  // namespace perturb::membrane
