#include "cuda/membrane/model/theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "cuda/core/simulation/marks.h"

namespace perturb::membrane {

namespace {

constexpr int modes_of_a_side = 40;  // for sums over modes; a load of width 0.02 is negligible beyond them

// Integrals of the bump's factor with each normalised mode of one direction, by the midpoint rule. It is exact to
// rounding for smooth functions that vanish at the ends, and accurate to 1e-7 for others here.
struct Direction {
  std::vector<double> eigenvalue, share;
};
Direction project(Side low, Side high, double center, double width) {
  Direction d;
  const int first = first_mode(low, high);
  constexpr int points = 4000;
  std::vector<double> bump(points);
  for (int g = 0; g < points; ++g) {
    const double t = ((g + 0.5) / points - center) / width;
    bump[static_cast<std::size_t>(g)] = std::exp(-t * t) / points;
  }
  for (int m = first; m < first + modes_of_a_side; ++m) {
    const ModeFactor wave = membrane_wave(low, high, m);
    const double norm = wave.k == 0 ? 1 : std::numbers::sqrt2;
    double sum = 0;
    for (int g = 0; g < points; ++g) sum += bump[static_cast<std::size_t>(g)] * wave.value((g + 0.5) / points);
    d.eigenvalue.push_back(wave.k * wave.k);
    d.share.push_back(norm * sum);
  }
  return d;
}

struct ModeSeries {
  Direction x, y;
  explicit ModeSeries(const Parameters& p)
      : x(project(p.boundary_left, p.boundary_right, p.source_x, p.source_width)),
        y(project(p.boundary_bottom, p.boundary_top, p.source_y, p.source_width)) {}
  // Response of each mode, f_mn/(distance + i k c).
  struct Answer {
    double response, work, quadrature_work;
  };
  Answer answer(const Parameters& p, double frequency) const {
    double sum = 0, work = 0, quadrature_work = 0;
    const double coupling = p.may_be_complex() ? p.damping * frequency : 0;
    for (std::size_t m = 0; m < x.share.size(); ++m)
      for (std::size_t n = 0; n < y.share.size(); ++n) {
        const double distance = x.eigenvalue[m] + y.eigenvalue[n] + p.sigma - frequency * frequency;
        const double force = p.source_strength * x.share[m] * y.share[n];
        const double squared = force * force / (distance * distance + coupling * coupling);
        sum += squared;
        work += squared * distance;
        quadrature_work -= squared * coupling;
      }
    return {std::sqrt(sum), work, quadrature_work};
  }
};

bool has_exact_response(const Parameters& p) {
  return membrane_knows_modes(p) && p.load == Load::bump && p.sweep_to > p.sweep_from && p.source_strength != 0 &&
         p.rim == RimShape::flat;
}

}  // namespace

ModeFactor membrane_wave(Side low, Side high, int m) {
  const bool low_fixed = low == Side::fixed, high_fixed = high == Side::fixed;
  return {std::numbers::pi * (low_fixed == high_fixed ? m : m - 0.5), !low_fixed};
}

int first_mode(Side low, Side high) { return low == Side::free && high == Side::free ? 0 : 1; }

Mode nearest_mode(const Parameters& p, double value) {
  Mode best;
  double least = std::numeric_limits<double>::infinity();
  const int first_x = first_mode(p.boundary_left, p.boundary_right);
  const int first_y = first_mode(p.boundary_bottom, p.boundary_top);
  const int most = 2 + static_cast<int>(std::sqrt(std::max(value, 0.0)) / std::numbers::pi);
  for (int m = first_x; m <= first_x + most; ++m)
    for (int n = first_y; n <= first_y + most; ++n) {
      const double kx = membrane_wave(p.boundary_left, p.boundary_right, m).k;
      const double ky = membrane_wave(p.boundary_bottom, p.boundary_top, n).k;
      const double eigenvalue = kx * kx + ky * ky, distance = std::abs(eigenvalue - value);
      if (distance < least) {
        least = distance;
        best = {m, n, eigenvalue};
      }
    }
  return best;
}

std::vector<Mode> lowest_modes(const Parameters& p, std::size_t count) {
  const int first_x = first_mode(p.boundary_left, p.boundary_right);
  const int first_y = first_mode(p.boundary_bottom, p.boundary_top);
  std::vector<Mode> all;
  // The first `count` modes have at most as many half waves in a direction as there are modes below.
  for (int m = first_x; m < first_x + static_cast<int>(count); ++m)
    for (int n = first_y; n < first_y + static_cast<int>(count); ++n) {
      const double kx = membrane_wave(p.boundary_left, p.boundary_right, m).k;
      const double ky = membrane_wave(p.boundary_bottom, p.boundary_top, n).k;
      all.push_back({m, n, kx * kx + ky * ky});
    }
  std::stable_sort(all.begin(), all.end(), [](const Mode& a, const Mode& b) { return a.eigenvalue < b.eigenvalue; });
  all.resize(count);
  return all;
}

Source mode_shape(const Parameters& p, const Mode& mode) {
  Source source;
  source.kind = Load::mode;
  source.strength = 1;
  source.wave_x = membrane_wave(p.boundary_left, p.boundary_right, mode.m);
  source.wave_y = membrane_wave(p.boundary_bottom, p.boundary_top, mode.n);
  return source;
}

std::vector<double> resonator_frequencies(const Parameters& p, double low, double high) {
  std::vector<double> all;
  if (!membrane_knows_modes(p)) return all;
  constexpr double at_a_node = 1e-3;
  const int first_x = first_mode(p.boundary_left, p.boundary_right);
  const int first_y = first_mode(p.boundary_bottom, p.boundary_top);
  const double most = high * high + std::abs(p.sigma) + p.damping * p.damping;
  for (int m = first_x;; ++m) {
    const ModeFactor x = membrane_wave(p.boundary_left, p.boundary_right, m);
    if (x.k * x.k > most) break;
    for (int n = first_y;; ++n) {
      const ModeFactor y = membrane_wave(p.boundary_bottom, p.boundary_top, n);
      const double squared = x.k * x.k + y.k * y.k + p.sigma - 0.25 * p.damping * p.damping;
      if (x.k * x.k + y.k * y.k > most) break;
      if (squared < low * low || squared > high * high || !(squared > 0)) continue;
      if (std::abs(x.value(p.ear_x) * y.value(p.ear_y)) > at_a_node) all.push_back(std::sqrt(squared));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

double lowest_eigenvalue(const Parameters& p) {
  const double kx = membrane_wave(p.boundary_left, p.boundary_right, first_mode(p.boundary_left, p.boundary_right)).k;
  const double ky = membrane_wave(p.boundary_bottom, p.boundary_top, first_mode(p.boundary_bottom, p.boundary_top)).k;
  return kx * kx + ky * ky;
}

Source membrane_source(const Parameters& p) {
  Source source;
  source.kind = p.load;
  source.x = p.source_x;
  source.y = p.source_y;
  source.per_width = 1 / p.source_width;
  source.strength = p.source_strength;
  if (p.load == Load::mode) {
    source.wave_x = membrane_wave(p.boundary_left, p.boundary_right, p.mode_x);
    source.wave_y = membrane_wave(p.boundary_bottom, p.boundary_top, p.mode_y);
    source.strength *= source.wave_x.k * source.wave_x.k + source.wave_y.k * source.wave_y.k + p.shift();
  }
  if (p.load == Load::formula) {
    source.formula = &formula_of(p.load_formula).program;
    source.of_formula = std::exchange(source.strength, 0);
  }
  return source;
}

double largest_load(const Parameters& p) {
  return std::abs(p.load == Load::formula ? p.source_strength * formula_of(p.load_formula).largest
                                          : membrane_source(p).strength);
}

Rim membrane_rim(const Parameters& p) {
  Rim rim;
  rim.shape = p.rim;
  rim.c0 = p.corner_bottom_left;
  rim.c1 = p.corner_bottom_right - p.corner_bottom_left;
  rim.c2 = p.corner_top_left - p.corner_bottom_left;
  rim.c3 = p.corner_top_right - p.corner_top_left - rim.c1;
  rim.height = p.rim_height;
  rim.along = rim.up = std::numbers::pi * p.rim_waves;
  rim.domain = membrane_domain(p);
  return rim;
}

Known membrane_known(const Parameters& p) {
  if (p.motion != Movement::steady || p.is_complex()) return {};
  Known known;
  known.rim = membrane_rim(p);
  const bool mode = p.load == Load::mode, silent = p.source_strength == 0;
  if (!mode && !(silent && !known.rim.is_flat())) return {};
  // The boundary part must satisfy the equation without a load.
  bool all_fixed = true;
  for (int side = 0; side < 4; ++side) all_fixed = all_fixed && p.side_of(side) == static_cast<int>(Side::fixed);
  if (known.rim.shape == RimShape::wave && all_fixed && !known.rim.domain.has_tip()) {
    const double squared = known.rim.along * known.rim.along + p.shift();
    if (!(squared > 0)) return {};
    known.rim.up = std::sqrt(squared);
  } else if (!known.rim.is_flat() && p.shift() != 0) {
    return {};
  }
  known.is_known = !silent || !known.rim.is_flat();
  if (!mode) return known;
  known.height = p.source_strength;
  known.wave_x = membrane_wave(p.boundary_left, p.boundary_right, p.mode_x);
  known.wave_y = membrane_wave(p.boundary_bottom, p.boundary_top, p.mode_y);
  constexpr double rounding = 1e-12;
  const auto is_zero = [](const ModeFactor& wave) { return std::abs(wave.value(Domain::tip)) < rounding; };
  if (known.rim.domain.has_tip() &&
      !(is_zero(known.wave_y) && (p.domain == DomainShape::slit || is_zero(known.wave_x))))
    return {};
  return known;
}

std::vector<double> exact_displacement(const Parameters& p, int cells) {
  if (!membrane_knows_modes(p) || p.motion != Movement::steady || p.load != Load::bump || p.source_strength == 0 ||
      p.rim != RimShape::flat || p.may_be_complex())
    return {};
  const ModeSeries modes(p);
  const auto side = static_cast<std::size_t>(cells) + 1;
  // Normalised modes at the points, [mode][point].
  const auto factors = [&](Side low, Side high) {
    std::vector<std::vector<double>> values;
    const int first = first_mode(low, high);
    for (int m = first; m < first + modes_of_a_side; ++m) {
      const ModeFactor wave = membrane_wave(low, high, m);
      std::vector<double> row;
      for (int i = 0; i <= cells; ++i)
        row.push_back((wave.k == 0 ? 1 : std::numbers::sqrt2) * wave.value(zero_line_position(i, cells)));
      values.push_back(std::move(row));
    }
    return values;
  };
  const auto x = factors(p.boundary_left, p.boundary_right), y = factors(p.boundary_bottom, p.boundary_top);
  std::vector<double> sum(side * side);
  for (std::size_t n = 0; n < y.size(); ++n) {
    std::vector<double> row(side);
    for (std::size_t m = 0; m < x.size(); ++m) {
      constexpr double least = 1e-9;  // at a mode's frequency: only its shape matters
      double distance = modes.x.eigenvalue[m] + modes.y.eigenvalue[n] + p.sigma - p.frequency * p.frequency;
      if (std::abs(distance) < least) distance = least;
      const double factor = p.source_strength * modes.x.share[m] * modes.y.share[n] / distance;
      for (std::size_t i = 0; i < side; ++i) row[i] += factor * x[m][i];
    }
    for (std::size_t j = 0; j < side; ++j)
      for (std::size_t i = 0; i < side; ++i) sum[j * side + i] += y[n][j] * row[i];
  }
  return sum;
}

double phase_of(double work, double quadrature_work) {
  return std::atan2(-quadrature_work, work) * 180 / std::numbers::pi;
}

double exact_response_at(const Parameters& p, double frequency) { return ModeSeries(p).answer(p, frequency).response; }

double exact_phase_at(const Parameters& p, double frequency) {
  const ModeSeries::Answer answer = ModeSeries(p).answer(p, frequency);
  return phase_of(answer.work, answer.quadrature_work);
}

std::vector<CurvePoint> exact_response(const Parameters& p, int points) {
  std::vector<CurvePoint> curve;
  if (!has_exact_response(p)) return curve;
  const ModeSeries modes(p);
  for (int k = 0; k < points; ++k) {
    const double frequency = p.sweep_from + (p.sweep_to - p.sweep_from) * k / (points - 1);
    const double response = modes.answer(p, frequency).response;
    if (response > 0 && std::isfinite(response)) curve.push_back({frequency, std::log10(response)});
  }
  return curve;
}

std::vector<CurvePoint> exact_phase(const Parameters& p, int points) {
  std::vector<CurvePoint> curve;
  if (!has_exact_response(p)) return curve;
  const ModeSeries modes(p);
  for (int k = 0; k < points; ++k) {
    const double frequency = p.sweep_from + (p.sweep_to - p.sweep_from) * k / (points - 1);
    const ModeSeries::Answer answer = modes.answer(p, frequency);
    curve.push_back({frequency, phase_of(answer.work, answer.quadrature_work)});
  }
  return curve;
}

}  // namespace perturb::membrane
