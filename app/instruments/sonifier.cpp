#include "app/instruments/sonifier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/instruments/wav_file.h"

namespace perturb {

namespace {

// half a grain: six periods of the tone, so that few readings are enough to start
constexpr double half_seconds = 0.014;
constexpr double level = 0.5;            // fraction of full scale
constexpr double seconds_to_forget = 6;  // time in which the loudness estimate falls by a factor of e
// longest repetition of the same readings in seconds, while a frame takes long
constexpr double most_repeated = 0.3;
constexpr std::size_t compared_every = 4;  // spacing of the samples that are compared to find the shift

double reading_at(std::span<const double> values, double at) {
  const auto i = std::min(static_cast<std::size_t>(std::max(at, 0.0)), values.size() - 2);
  return values[i] + (at - static_cast<double>(i)) * (values[i + 1] - values[i]);
}

}  // namespace

std::size_t Sonifier::samples_per_call() const { return static_cast<std::size_t>(half_seconds * rate_); }

std::vector<float> Sonifier::next(std::span<const double> values, double spacing, double peak, std::int64_t last_step) {
  const std::size_t half = samples_per_call();
  std::vector<float> sound(half, 0.0f);
  repeated_ = last_step != newest_step_ ? 0 : repeated_ + 1;
  newest_step_ = last_step;
  if (stretch_ == 0 && peak > 0) stretch_ = peak / audible_pitch;
  // The readings of a grain, plus those of a shift by at most one period.
  const double per_sample = stretch_ > 0 ? 1 / (stretch_ * rate_ * spacing) : 0;
  const double period = rate_ / audible_pitch;
  const double needed = per_sample * (2 * static_cast<double>(half) + period);
  const bool is_audible =
      repeated_ <= most_repeated && stretch_ > 0 && spacing > 0 && values.size() > 2 && values.size() - 1 > needed;

  std::vector<double> grain(2 * half, 0.0);
  if (is_audible) {
    const double last = static_cast<double>(values.size() - 1);
    const auto newest = values.last(static_cast<std::size_t>(needed) + 2);
    double mean = 0;
    for (const double v : newest) mean += v / static_cast<double>(newest.size());
    double amplitude = 0;
    for (const double v : newest) amplitude = std::max(amplitude, std::abs(v - mean));
    loudest_ = std::max(amplitude, loudest_ * std::exp(-half_seconds / seconds_to_forget));
    const auto sample = [&](double shift, std::size_t k) {
      return reading_at(values, last - per_sample * (shift + static_cast<double>(2 * half - 1 - k))) - mean;
    };
    double best_shift = 0, best = -1;
    if (!rest_.empty()) {
      for (double shift = 0; shift < period; shift += 2) {
        double sum = 0;
        for (std::size_t k = 0; k < half; k += compared_every) sum += rest_[k] * sample(shift, k);
        if (sum > best) best = sum, best_shift = shift;
      }
    }
    if (loudest_ > 0)
      for (std::size_t k = 0; k < 2 * half; ++k) grain[k] = level * sample(best_shift, k) / loudest_;
  }
  for (std::size_t k = 0; k < half; ++k) {
    const double rising =
        0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(half));
    const double before = rest_.empty() ? 0 : rest_[k];
    sound[k] = static_cast<float>(std::clamp(rising * grain[k] + (1 - rising) * before, -1.0, 1.0));
  }
  rest_.assign(grain.begin() + static_cast<std::ptrdiff_t>(half), grain.end());
  return sound;
}

}  // namespace perturb
