#include "app/instruments/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

namespace perturb {

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
        a[begin + k] = u + v, a[begin + k + length / 2] = u - v;
      }
}

}  // namespace

Spectrum spectrum_of(std::span<const double> values, double spacing, double min_amplitude) {
  Spectrum spectrum;
  if (values.size() < least_for_spectrum || !(spacing > 0)) return spectrum;
  const std::size_t n = std::min(most_for_spectrum, std::bit_floor(values.size()));
  values = values.subspan(values.size() - n);
  double mean = 0, largest = 0;
  for (const double v : values) mean += v, largest = std::max(largest, std::abs(v));
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
  const double least = 1e-12 * top;
  const double a = std::log(std::max(left, least)), b = std::log(top), c = std::log(std::max(right, least));
  const double bend = a - 2 * b + c;
  const double shift = bend < 0 ? std::clamp(0.5 * (a - c) / bend, -0.5, 0.5) : 0;
  spectrum.peak = (static_cast<double>(best) + shift) * between;
  // The Hann window lowers a line between two bins; the maximum of the parabola compensates for most of this.
  spectrum.amplitude = std::exp(b - 0.25 * (a - c) * shift);
  return spectrum;
}

}  // namespace perturb
