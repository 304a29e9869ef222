#include "cuda/membrane/measure/resonators.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/math/elementary.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

namespace {

constexpr double floor_below_peak = 3, tooth = 0.2;  // decades: range of the shown spectrum, length of theory's marks

}  // namespace

double ResonatorBank::frequency(std::size_t k, const Parameters& p) {
  return p.sweep_from + (p.sweep_to - p.sweep_from) * static_cast<double>(k) / (resonator_count - 1);
}

// z' = (i omega - 1/memory) z + u, exact for u constant within the step.
void ResonatorBank::add_sample(double u, const Parameters& p) {
  if (bank_.empty() || !fits(p)) {
    bank_.assign(resonator_count, 0);
    sampled_time_ = 0;
    from_ = p.sweep_from;
    to_ = p.sweep_to;
    x_ = p.ear_x;
    y_ = p.ear_y;
  }
  const double dt = p.time_step, kept = exponential(-dt / memory);
  for (std::size_t k = 0; k < resonator_count; ++k) {
    const double angle = frequency(k, p) * dt;
    bank_[k] = bank_[k] * std::complex<double>(kept * cosine(angle), kept * sine(angle)) + u * dt;
  }
  sampled_time_ += dt;
}

Curve ResonatorBank::spectrum(const Parameters& p) const {
  Curve curve;
  curve.id = "spectrum";
  curve.label = "Spectrum at the listening point";
  curve.x_label = "frequency";
  curve.x_unit = "rad/time";
  curve.y_label = "amplitude";
  curve.y_unit = "height";
  curve.logarithmic_y = true;
  if (bank_.empty() || !fits(p)) return curve;
  // A steady A cos(omega t) drives its resonator to A/2 memory (1 - exp(-t/memory)).
  const double whole = 0.5 * memory * (1 - std::exp(-sampled_time_ / memory));
  double largest = 0;
  for (const std::complex<double>& z : bank_) largest = std::max(largest, std::abs(z) / whole);
  if (!(largest > 0)) return curve;
  const double top = std::log10(largest), bottom = top - floor_below_peak;
  for (std::size_t k = 0; k < resonator_count; ++k)
    curve.points.push_back({frequency(k, p), std::max(std::log10(std::abs(bank_[k]) / whole), bottom)});
  for (const double omega : resonator_frequencies(p, p.sweep_from, p.sweep_to)) {
    for (const double height : {top + tooth, top + 2 * tooth, top + tooth}) curve.theory.push_back({omega, height});
  }
  return curve;
}

void ResonatorBank::save_to(Saved& saved) const {
  saved.sampled_time = sampled_time_;
  for (const std::complex<double>& z : bank_) saved.resonators.insert(saved.resonators.end(), {z.real(), z.imag()});
}

void ResonatorBank::load_from(const Saved& saved, const Parameters& p) {
  bank_.clear();
  for (std::size_t k = 0; k + 1 < saved.resonators.size(); k += 2)
    bank_.emplace_back(saved.resonators[k], saved.resonators[k + 1]);
  sampled_time_ = saved.sampled_time;
  from_ = p.sweep_from;
  to_ = p.sweep_to;
  x_ = p.ear_x;
  y_ = p.ear_y;
}

}  // namespace perturb::membrane
