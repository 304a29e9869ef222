#include "app/instruments/probe_sound.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

void put_number(std::vector<std::byte>& bytes, std::uint32_t number, int count) {
  for (int k = 0; k < count; ++k) bytes.push_back(static_cast<std::byte>((number >> (8 * k)) & 255));
}
void put_text(std::vector<std::byte>& bytes, const char* word) {
  for (; *word; ++word) bytes.push_back(static_cast<std::byte>(*word));
}

}  // namespace

double save_wav(const std::string& path, std::span<const double> values, double spacing, double peak) {
  constexpr double min_seconds = 0.1, max_seconds = 60, fade_seconds = 0.01;
  if (!(peak > 0) || !(spacing > 0) || values.size() < 2)
    throw InputError("The probe has measured no oscillation yet. Run some more periods, or move the probe.");
  const double whole = static_cast<double>(values.size() - 1) * spacing * peak / audible_pitch;
  if (whole < min_seconds) throw InputError("The probe has measured too few periods for a sound. Run some more.");
  const double seconds = std::min(whole, max_seconds);
  double mean = 0, loudest = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) loudest = std::max(loudest, std::abs(v - mean));
  if (!(loudest > 0))
    throw InputError("The value at the probe is constant. Move the probe, or disturb the simulation.");

  const auto count = static_cast<std::uint32_t>(seconds * wav_sample_rate);
  const double per_sample = audible_pitch / (peak * spacing * wav_sample_rate);  // readings per sample
  std::vector<std::byte> bytes;
  bytes.reserve(44 + 2 * count);
  put_text(bytes, "RIFF");
  put_number(bytes, 36 + 2 * count, 4);
  put_text(bytes, "WAVEfmt ");
  put_number(bytes, 16, 4);
  put_number(bytes, 1, 2);
  put_number(bytes, 1, 2);
  put_number(bytes, wav_sample_rate, 4);
  put_number(bytes, 2 * wav_sample_rate, 4);
  put_number(bytes, 2, 2);
  put_number(bytes, 16, 2);
  put_text(bytes, "data");
  put_number(bytes, 2 * count, 4);
  for (std::uint32_t k = 0; k < count; ++k) {
    const double at = k * per_sample;
    const auto i = std::min(static_cast<std::size_t>(at), values.size() - 2);
    const double value = values[i] + (at - static_cast<double>(i)) * (values[i + 1] - values[i]);
    // Without fades, the ends would click.
    const double from_end = std::min(k, count - 1 - k) / (fade_seconds * wav_sample_rate);
    const double level = 0.9 * 32767 * (value - mean) / loudest * std::min(1.0, from_end);
    put_number(bytes, static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(level))) & 0xffff, 2);
  }
  replace_file(path, bytes);
  return seconds;
}

namespace {

// half a grain: six periods of the tone, so that few readings are enough to start
constexpr double half_seconds = 0.014;
// (A grain, and a shift by one period.)
static_assert(Sonifier::periods_needed >= 2 * half_seconds * audible_pitch + 1 &&
              Sonifier::periods_needed < 2 * half_seconds * audible_pitch + 2);
constexpr double level = 0.5;            // fraction of full scale
constexpr double seconds_to_forget = 6;  // time in which the loudness estimate falls by a factor of e
// longest repetition of the same readings in seconds, while a frame takes long
constexpr double max_repeated = 0.3;
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
  const bool is_audible = repeated_ * half_seconds <= max_repeated && stretch_ > 0 && spacing > 0 &&
                          values.size() > 2 && values.size() - 1 > needed;
  has_begun_ = has_begun_ || is_audible;

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
        if (sum > best) {
          best = sum;
          best_shift = shift;
        }
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
