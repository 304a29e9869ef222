#include "app/run/pitch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/run/display_units.h"

namespace perturb {

namespace {

constexpr double min_loudness = 1e-3;  // root mean square, of 1
constexpr double min_clarity = 0.7;    // of the peak: noise has a lower one
constexpr double first_peak_share = 0.9;
constexpr double same_pitch = 0.03, same_value = 0.005;

}  // namespace

std::optional<double> find_pitch(std::span<const float> samples, double rate) {
  if (samples.size() > pitch_samples) samples = samples.last(pitch_samples);
  const std::size_t n = samples.size(), shortest = static_cast<std::size_t>(rate / max_pitch),
                    longest = std::min(n / 2, static_cast<std::size_t>(rate / min_pitch) + 2);
  if (shortest < 2 || longest <= shortest) return std::nullopt;
  double mean = 0, power = 0;
  for (const float sample : samples) mean += static_cast<double>(sample);
  mean /= static_cast<double>(n);
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = static_cast<double>(samples[k]) - mean;
    power += x[k] * x[k];
  }
  if (!(power > min_loudness * min_loudness * static_cast<double>(n))) return std::nullopt;
  // Of each shift: 1 for the same sound, -1 for the opposite one.
  std::vector<double> alike(longest + 1);
  double squares = 2 * power;
  for (std::size_t shift = 0; shift <= longest; ++shift) {
    double product = 0;
    for (std::size_t k = shift; k < n; ++k) product += x[k] * x[k - shift];
    alike[shift] = squares > 0 ? 2 * product / squares : 0;
    squares -= x[shift] * x[shift] + x[n - 1 - shift] * x[n - 1 - shift];
  }
  // The highest shift of each positive stretch after the first zero.
  std::vector<std::size_t> peaks;
  std::size_t shift = 1;
  while (shift < longest && alike[shift] > 0) ++shift;
  for (bool is_above = false; shift < longest; ++shift) {
    if (alike[shift] <= 0) {
      is_above = false;
    } else if (alike[shift] >= alike[shift - 1] && alike[shift] > alike[shift + 1]) {
      if (!is_above)
        peaks.push_back(shift);
      else if (alike[shift] > alike[peaks.back()])
        peaks.back() = shift;
      is_above = true;
    }
  }
  double highest = 0;
  for (const std::size_t peak : peaks) highest = std::max(highest, alike[peak]);
  if (highest < min_clarity) return std::nullopt;
  for (const std::size_t peak : peaks) {
    if (alike[peak] < first_peak_share * highest) continue;
    const double left = alike[peak - 1], top = alike[peak], right = alike[peak + 1], bend = left - 2 * top + right;
    const double period = static_cast<double>(peak) + (bend < 0 ? 0.5 * (left - right) / bend : 0);
    const double pitch = rate / period;
    if (pitch < min_pitch || pitch > max_pitch) return std::nullopt;
    return pitch;
  }
  return std::nullopt;
}

std::optional<SungParameter> sung_parameter(const RunStatus& run) {
  const std::vector<std::string>& controls = run.scene->simple.controls;
  for (const Parameter& p : run.info->parameters) {
    if (p.id != "frequency" || p.apply != Apply::live || p.kind != ValueKind::real) continue;
    const DisplayUnit unit =
        display_unit(units_in_domain(run.scene->units, *run.info, run.domain_width, run.domain_height), p.unit, p.id);
    if (unit.text == "Hz" && std::find(controls.begin(), controls.end(), p.id) != controls.end())
      return SungParameter{p.id, 1 / unit.factor};
  }
  return std::nullopt;
}

std::optional<ParameterChange> PitchDriver::take(const RunStatus& run, std::span<const float> samples, double rate) {
  const std::optional<double> before = pitch_;
  pitch_ = find_pitch(samples, rate);
  const std::optional<SungParameter> sung = sung_parameter(run);
  if (!sung || !pitch_ || !before || std::abs(*pitch_ - *before) > same_pitch * *before) return std::nullopt;
  const Parameter& p = *find_parameter(run.info->parameters, sung->id);
  const double value = std::clamp(*pitch_ * sung->per_hertz, p.minimum, p.maximum), now = run.value_of(sung->id);
  if (std::abs(value - now) <= same_value * std::abs(now)) return std::nullopt;
  return ParameterChange{sung->id, value};
}

}  // namespace perturb
