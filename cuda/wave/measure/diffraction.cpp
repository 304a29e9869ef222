#include "cuda/wave/measure/diffraction.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>

#include <math.h>

namespace perturb::wave {

void Diffraction::prepare(double distance, double wavelength, int cells) {
  if (distance == distance_ && wavelength == wavelength_ && kernel_.size() == static_cast<std::size_t>(cells)) return;
  distance_ = distance, wavelength_ = wavelength;
  kernel_.resize(static_cast<std::size_t>(cells));
  const double k = 2 * std::numbers::pi / wavelength;
  for (int d = 0; d < cells; ++d) {
    const double r = std::hypot(distance, d);
    // The functions of POSIX: not every C++ library has those of the standard.
    const std::complex<double> hankel(::j1(k * r), ::y1(k * r));
    kernel_[static_cast<std::size_t>(d)] = std::complex<double>(0, k / 2 * distance / r) * hankel;
  }
}

std::vector<std::complex<double>> Diffraction::on_line(std::span<const std::complex<double>> plane) const {
  std::vector<std::complex<double>> line(kernel_.size());
  for (std::size_t p = 0; p < plane.size(); ++p) {
    if (plane[p] == std::complex<double>()) continue;
    for (std::size_t q = 0; q < line.size(); ++q) line[q] += kernel_[q > p ? q - p : p - q] * plane[p];
  }
  return line;
}

std::vector<Aperture> wave_apertures(std::span<const std::complex<double>> plane, double wavelength) {
  std::vector<Aperture> apertures;
  for (std::size_t first = 0; first < plane.size();) {
    std::size_t end = first;
    while (end < plane.size() && plane[end] != std::complex<double>()) ++end;
    const auto cells = static_cast<int>(end - first);
    if (cells > 0) {
      Aperture aperture{static_cast<double>(first) + 0.5 * cells, cells + 1.0, {}};
      const int count = std::min(cells, static_cast<int>(2 * aperture.width / wavelength) + 2);
      for (int m = 1; m <= count; ++m) {
        std::complex<double> sum = 0;
        for (int j = 0; j < cells; ++j)
          sum += plane[first + static_cast<std::size_t>(j)] * std::sin(m * std::numbers::pi * (j + 1) / aperture.width);
        aperture.modes.push_back(2 / aperture.width * sum);
      }
      apertures.push_back(std::move(aperture));
    }
    first = end + 1;
  }
  return apertures;
}

namespace {

// ∫ of an opening's modes times exp(-i q y) over the opening, y from its middle.
std::complex<double> far_amplitude(const Aperture& aperture, double q) {
  std::complex<double> sum = 0;
  const double half = 0.5 * aperture.width;
  const std::complex<double> swings[] = {{std::cos(q * half), 0}, {0, std::sin(q * half)}};
  for (std::size_t k = 0; k < aperture.modes.size(); ++k) {
    const double a = static_cast<double>(k + 1) * std::numbers::pi / aperture.width;
    const double divisor = a * a - q * q;
    // Where both are zero, the limit: b/2 with the phase of the mode in the middle.
    if (std::abs(divisor) < 1e-6 * a * a)
      sum +=
          aperture.modes[k] * half * std::polar(1.0, (q > 0 ? 1 : -1) * std::numbers::pi / 2 * static_cast<double>(k));
    else
      sum += aperture.modes[k] * swings[k % 2] * (2 * a / divisor);
  }
  return sum;
}

}  // namespace

std::vector<std::complex<double>> far_field(std::span<const Aperture> apertures, double distance, double wavelength,
                                            int cells) {
  using std::numbers::pi;
  const double k = 2 * pi / wavelength;
  std::vector<std::complex<double>> line(static_cast<std::size_t>(cells));
  for (const Aperture& aperture : apertures)
    for (int q = 0; q < cells; ++q) {
      const double across = q + 0.5 - aperture.middle, r = std::hypot(distance, across);
      line[static_cast<std::size_t>(q)] += far_amplitude(aperture, k * across / r) *
                                           std::polar(std::sqrt(k / (2 * pi * r)) * distance / r, k * r - pi / 4);
    }
  return line;
}

double far_from(std::span<const Aperture> apertures, double wavelength) {
  double from = wavelength;
  for (const Aperture& aperture : apertures) from = std::max(from, 2 * aperture.width * aperture.width / wavelength);
  return from;
}

namespace {

// The fringe at a maximum, from the parabola through three samples.
Fringe fringe_at(std::span<const double> v, std::size_t i) {
  const double bend = v[i - 1] - 2 * v[i] + v[i + 1], lean = 0.5 * (v[i + 1] - v[i - 1]);
  const double shift = bend < 0 ? -lean / bend : 0;
  return {static_cast<double>(i) + 0.5 + shift, v[i] + 0.5 * lean * shift};
}

}  // namespace

std::vector<Fringe> inner_fringes(std::span<const double> v, int count) {
  // Maxima below this share of the highest are ripples, not fringes.
  constexpr double least = 0.02;
  const double highest = v.empty() ? 0 : *std::max_element(v.begin(), v.end());
  std::vector<Fringe> all;
  for (std::size_t i = 1; i + 1 < v.size(); ++i) {
    if (!(v[i] > v[i - 1] && v[i] >= v[i + 1]) || v[i] < least * highest) continue;
    // The lowest point since the last fringe shows whether there is a dark fringe in between.
    if (!all.empty()) {
      const auto from = static_cast<std::size_t>(all.back().place);
      const double dark =
          *std::min_element(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(i));
      const Fringe here = fringe_at(v, i);
      if (dark > 0.9 * std::min(here.height, all.back().height)) {  // one fringe with a ripple on it
        if (here.height > all.back().height) all.back() = here;
        continue;
      }
    }
    all.push_back(fringe_at(v, i));
  }
  if (all.size() <= static_cast<std::size_t>(count)) return all;
  const double middle = 0.5 * static_cast<double>(v.size());
  std::size_t first = 0;
  const auto off_middle = [&](std::size_t k) {
    return std::abs(0.5 * (all[k].place + all[k + static_cast<std::size_t>(count) - 1].place) - middle);
  };
  for (std::size_t k = 1; k + static_cast<std::size_t>(count) <= all.size(); ++k)
    if (off_middle(k) < off_middle(first)) first = k;
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first) + count};
}

Comparison compare(std::span<const double> measured, std::span<const double> theory) {
  constexpr int inner = 5;
  const std::vector<Fringe> got = inner_fringes(measured, inner), want = inner_fringes(theory, inner);
  Comparison c;
  double product = 0, squares = 0;
  for (std::size_t q = 0; q < theory.size(); ++q) product += measured[q] * theory[q], squares += theory[q] * theory[q];
  if (got.size() == want.size() && !got.empty()) {
    product = squares = 0;
    for (std::size_t f = 0; f < got.size(); ++f)
      product += got[f].height * want[f].height, squares += want[f].height * want[f].height;
  }
  c.factor = squares > 0 ? product / squares : 0;
  if (got.size() != want.size()) return c;
  c.fringes = static_cast<int>(got.size());
  for (std::size_t f = 0; f < got.size(); ++f)
    c.error = std::max(c.error, std::abs(got[f].height / (c.factor * want[f].height) - 1));
  if (c.fringes < 2) return c;
  c.spacing = (got.back().place - got.front().place) / (c.fringes - 1);
  c.expected = (want.back().place - want.front().place) / (c.fringes - 1);
  return c;
}

}  // namespace perturb::wave
