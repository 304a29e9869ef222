#include "app/instruments/readings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace perturb {

void Series::clear() {
  values_.clear();
  older_.clear();
  in_group_ = 32;
  last_step_ = -1;
  spacing_ = 0;
}

void Series::add(std::int64_t step, double time, double value, std::int64_t every) {
  if (step <= last_step_) drop_from(step, every);
  if (last_step_ >= 0 && step != last_step_ + every) clear();
  if (!values_.empty()) spacing_ = time - values_.back().time;
  last_step_ = step;
  values_.push_back({time, value});
  if (values_.size() <= max_readings) return;
  keep_in_group(values_.front());
  values_.pop_front();
}

void Series::drop_from(std::int64_t step, std::int64_t every) {
  const std::int64_t later = (last_step_ - step) / every + 1;
  if (later >= static_cast<std::int64_t>(values_.size())) return clear();
  values_.resize(values_.size() - static_cast<std::size_t>(later));
  last_step_ -= later * every;
}

void Series::keep_in_group(const Reading& oldest) {
  if (!std::isfinite(oldest.value)) return;
  const SampleGroup one = SampleGroup::of({oldest.time, oldest.value});
  if (older_.empty() || older_.back().count >= in_group_)
    older_.push_back(one);
  else
    older_.back().add(one);
  if (older_.size() < max_older || older_.back().count < in_group_) return;
  merge_pairs(older_);
  in_group_ *= 2;
}

std::vector<CurvePoint> Series::kept() const {
  std::vector<CurvePoint> points;
  points.reserve(values_.size());
  for (const Reading& reading : values_) points.push_back({reading.time, reading.value});
  return points;
}

double Series::latest() const {
  return values_.empty() ? std::numeric_limits<double>::quiet_NaN() : values_.back().value;
}

std::vector<double> Series::even_values() const {
  std::vector<double> newest;
  for (std::size_t k = values_.size(); k-- > 0;) {
    if (!std::isfinite(values_[k].value)) break;
    if (k + 1 < values_.size() && std::abs(values_[k + 1].time - values_[k].time - spacing_) > 1e-6 * spacing_) break;
    newest.push_back(values_[k].value);
  }
  std::reverse(newest.begin(), newest.end());
  return newest;
}

std::vector<SampleGroup> Series::groups(std::size_t max_groups) const {
  std::vector<SampleGroup> groups = older_;
  const std::size_t newest = values_.size() <= max_groups ? values_.size() : max_groups / 2,
                    older = values_.size() - newest;
  const std::size_t room = std::max<std::size_t>(1, max_groups - newest), stretch = (older + room - 1) / room;
  const auto group_at = [&](std::size_t k) { return SampleGroup::of({values_[k].time, values_[k].value}); };
  for (std::size_t begin = 0; begin < older; begin += stretch) {
    groups.push_back(group_at(begin));
    for (std::size_t k = begin + 1; k < std::min(begin + stretch, older); ++k) {
      // A group without a number is a gap.
      if (!std::isfinite(groups.back().mean))
        groups.back() = group_at(k);
      else if (std::isfinite(values_[k].value))
        groups.back().add(group_at(k));
    }
  }
  for (std::size_t k = older; k < values_.size(); ++k) groups.push_back(group_at(k));
  return groups;
}

namespace {

// Cooley-Tukey transform in place; the size is a power of two.
void transform(std::vector<std::complex<double>>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  std::vector<std::complex<double>> roots(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k)
    roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t length = 2; length <= n; length <<= 1)
    for (std::size_t begin = 0; begin < n; begin += length)
      for (std::size_t k = 0; k < length / 2; ++k) {
        const std::complex<double> u = a[begin + k], v = a[begin + k + length / 2] * roots[k * (n / length)];
        a[begin + k] = u + v;
        a[begin + k + length / 2] = u - v;
      }
}

}  // namespace

Spectrum spectrum_of(std::span<const double> values, double spacing, double min_amplitude) {
  Spectrum spectrum;
  if (values.size() < min_for_spectrum || !(spacing > 0)) return spectrum;
  const std::size_t n = std::min(max_for_spectrum, std::bit_floor(values.size()));
  values = values.subspan(values.size() - n);
  double mean = 0, largest = 0;
  for (const double v : values) {
    mean += v;
    largest = std::max(largest, std::abs(v));
  }
  mean /= static_cast<double>(n);
  std::vector<std::complex<double>> lines(n);
  double weights = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double weight = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    lines[k] = weight * (values[k] - mean);
    weights += weight;
  }
  transform(lines);
  const double between = 1 / (static_cast<double>(n) * spacing);  // spacing of the lines
  for (std::size_t k = 0; k <= n / 2; ++k)
    spectrum.points.push_back({static_cast<double>(k) * between, 2 * std::abs(lines[k]) / weights});
  // Below two periods, a drift looks like an oscillation.
  std::size_t best = 2;
  for (std::size_t k = 2; k < n / 2; ++k)
    if (spectrum.points[k].y > spectrum.points[best].y) best = k;
  const double top = spectrum.points[best].y, left = spectrum.points[best - 1].y, right = spectrum.points[best + 1].y;
  spectrum.uncertainty = 0.5 * between;
  // A peak is higher than its neighbours; the sloping lines of a drift are not a peak.
  if (!(top > 0) || left > top || right > top) return spectrum;
  // Noise also has a highest line.
  constexpr double rounding = 1e-7;
  if (top < std::max(min_amplitude, rounding * largest)) return spectrum;
  // Of a faster one, the readings could show any frequency.
  if (static_cast<double>(best) * min_readings_per_period > static_cast<double>(n)) {
    spectrum.is_unresolved = true;
    return spectrum;
  }
  const double floor = 1e-12 * top;
  const double a = std::log(std::max(left, floor)), b = std::log(top), c = std::log(std::max(right, floor));
  const double bend = a - 2 * b + c;
  const double shift = bend < 0 ? std::clamp(0.5 * (a - c) / bend, -0.5, 0.5) : 0;
  spectrum.peak = (static_cast<double>(best) + shift) * between;
  // The Hann window lowers a line between two bins; the maximum of the parabola compensates for most of this.
  spectrum.amplitude = std::exp(b - 0.25 * (a - c) * shift);
  return spectrum;
}

void Profile::clear() {
  now_.clear();
  sum_.clear();
  moments_ = 0;
}

void Profile::add_to_mean(std::span<const double> values) {
  if (values.size() != sum_.size()) {
    sum_.assign(values.size(), 0);
    moments_ = 0;
  }
  for (std::size_t k = 0; k < values.size(); ++k) sum_[k] += values[k];
  ++moments_;
}

std::vector<CurvePoint> Profile::points(bool averaged, double length) const {
  const bool mean = averaged && moments_ > 0;
  const std::vector<double>& values = mean ? sum_ : now_;
  const double share = mean ? 1 / static_cast<double>(moments_) : 1;
  const double apart = length / static_cast<double>(std::max<std::size_t>(2, values.size()) - 1);
  std::vector<CurvePoint> points;
  for (std::size_t k = 0; k < values.size(); ++k) points.push_back({apart * static_cast<double>(k), share * values[k]});
  return points;
}

std::vector<Camera::Point> places_along(const Instrument& cut, std::size_t count) {
  std::vector<Camera::Point> places;
  if (cut.places.size() < 2) return places;
  // The far edge of the domain belongs to no cell: uses the last position before it.
  const auto inside = [](double fraction) { return std::clamp(fraction, 0.0, 1 - 1e-9); };
  const Camera::Point a = cut.places[0], b = cut.places[1];
  for (std::size_t k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(2, count) - 1);
    places.push_back({inside(a.x + t * (b.x - a.x)), inside(a.y + t * (b.y - a.y))});
  }
  return places;
}

}  // namespace perturb
