#include "app/instruments/wav_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
  constexpr double least_seconds = 0.1, most_seconds = 60, fade_seconds = 0.01;
  if (!(peak > 0) || !(spacing > 0) || values.size() < 2)
    throw InputError("The probe has heard no tone yet: let the run go on for some periods, or move the probe.");
  const double whole = static_cast<double>(values.size() - 1) * spacing * peak / audible_pitch;
  if (whole < least_seconds) throw InputError("The probe has heard too few periods for a sound: let the run go on.");
  const double seconds = std::min(whole, most_seconds);
  double mean = 0, loudest = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) loudest = std::max(loudest, std::abs(v - mean));
  if (!(loudest > 0)) throw InputError("The probe has read one and the same number: there is nothing to hear.");

  const auto count = static_cast<std::uint32_t>(seconds * wav_sample_rate);
  const double per_sample = audible_pitch / (peak * spacing * wav_sample_rate);  // readings per sample
  std::vector<std::byte> bytes;
  bytes.reserve(44 + 2 * count);
  put_text(bytes, "RIFF"), put_number(bytes, 36 + 2 * count, 4), put_text(bytes, "WAVEfmt ");
  put_number(bytes, 16, 4), put_number(bytes, 1, 2), put_number(bytes, 1, 2);
  put_number(bytes, wav_sample_rate, 4), put_number(bytes, 2 * wav_sample_rate, 4), put_number(bytes, 2, 2);
  put_number(bytes, 16, 2), put_text(bytes, "data"), put_number(bytes, 2 * count, 4);
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

}  // namespace perturb
