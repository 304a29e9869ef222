#include "cuda/particles/measure/theory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace perturb::particles {

double compressibility(double f) {
  return (1 + f * f * (1.0 / 8 + f * (1.0 / 18 - f * (4.0 / 21)))) / ((1 - f) * (1 - f));
}

double contact_value(double f) { return f > 1e-9 ? (compressibility(f) - 1) / (2 * f) : 1; }

double fraction_between_walls(double discs, double radius, double width, double height) {
  const double covered = discs * std::numbers::pi * radius * radius;
  double fraction = covered / (width * height);
  for (int k = 0; k < 40; ++k) {
    const double lost = 2 * (width + height) * radius * (1 - fraction) / (1 + fraction);
    const double left = width * height - lost;
    if (!(left > covered)) break;  // the box is too small to have a middle
    fraction = covered / left;
  }
  return fraction;
}

double pressure_on_walls(double discs, double radius, double width, double height, double thermal) {
  const double fraction = fraction_between_walls(discs, radius, width, height);
  const double pressure = fraction / (std::numbers::pi * radius * radius) * thermal * compressibility(fraction);
  const double tension = thermal * fraction / (std::numbers::pi * radius * (1 - fraction));
  return pressure - 4 * tension / (width + height);
}

namespace {

// π sum of n r^k of the kinds with these numbers per area.
struct Moments {
  double m[5] = {};
  Moments(const std::vector<DiscsOfKind>& kinds, const std::vector<double>& densities) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      double term = std::numbers::pi * densities[i];
      for (double& moment : m) {
        moment += term;
        term *= kinds[i].radius;
      }
    }
  }
};

// Coefficients c of the length c0 + c1 r + c2 r² next to a wall from which it displaces discs of radius r. With the
// line tension γ = kT ξ1/π(1 - ξ2), Gibbs's -∂γ/∂μ is n times that length. A change of the densities by dξ changes γ by
// v·dξ/π kT, and the potentials by S dξ in powers of r, beside d ln n; so c = v - S z, where (1 + M S) z = M v.
std::array<double, 3> displaced_length(const Moments& moments) {
  const auto& m = moments.m;
  const double q = 1 / (1 - m[2]), v[3] = {0, q, m[1] * q * q};
  const double s[3][3] = {
      {0, 0, q}, {0, 2 * q, 2 * m[1] * q * q}, {q, 2 * m[1] * q * q, m[0] * q * q + 2 * m[1] * m[1] * q * q * q}};
  double a[3][4] = {};  // 1 + M S, and M v
  for (int i = 0; i < 3; ++i) {
    a[i][i] = 1;
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) a[i][j] += m[i + k] * s[k][j];
      a[i][3] += m[i + k] * v[k];
    }
  }
  for (int k = 0; k < 3; ++k)  // Gauss and Jordan
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (int j = k; j < 4; ++j) a[i][j] -= factor * a[k][j];
    }
  std::array<double, 3> c{v[0], v[1], v[2]};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c[static_cast<std::size_t>(i)] -= s[i][j] * a[j][3] / a[j][j];
  return c;
}

}  // namespace

double mixture_pressure_on_walls(const std::vector<DiscsOfKind>& kinds, double width, double height, double thermal) {
  const double area = width * height, rim = 2 * (width + height);
  std::vector<double> densities;
  for (const DiscsOfKind& kind : kinds) densities.push_back(kind.count / area);
  for (int k = 0; k < 40; ++k) {
    const Moments moments(kinds, densities);
    if (!(moments.m[2] < 1)) break;
    const std::array<double, 3> c = displaced_length(moments);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const double r = kinds[i].radius;
      const double room = area - rim * (c[0] + r * (c[1] + r * c[2]));
      densities[i] = kinds[i].count / std::max(room, 0.25 * area);  // less: the box has no middle
    }
  }
  const Moments moments(kinds, densities);
  const auto& m = moments.m;
  const double even = m[1] * m[1] / (m[0] * m[2]);
  const double of_mixture = (1 - even) / (1 - m[2]) + even * compressibility(m[2]);
  const double tension = thermal * m[1] / (std::numbers::pi * (1 - m[2]));
  return m[0] / std::numbers::pi * thermal * of_mixture - 4 * tension / (width + height);
}

// With n = φ/πr² discs per area, σ = 2r and χ the contact value, a disc has 2√π n σ χ √(kT/m) collisions per unit of
// time, and its mean speed is √(π kT/2m).
double enskog_free_path(double fraction, double radius) {
  return std::numbers::pi * radius / (4 * std::numbers::sqrt2 * fraction * contact_value(fraction));
}

// D = √(kT/πm) / (2 n σ χ).
double enskog_diffusion(double fraction, double radius, double thermal) {
  return std::sqrt(thermal * std::numbers::pi) * radius / (4 * fraction * contact_value(fraction));
}

double reflected_way(double free, double length) {
  // <(x - x0)²> of the heat kernel's series in cos(k pi x/L), to which only odd k contribute. The walls reduce it at
  // first by 8/(3 sqrt(2 pi)) free^(3/2)/L, until some discs have reached both walls.
  const double square = length * length;
  if (free < 0.05 * square) return free * (1 - 8 / (3 * std::sqrt(2 * std::numbers::pi)) * std::sqrt(free) / length);
  double sum = 0;
  for (int k = 1; k < 12; k += 2) {
    const double wave = k * std::numbers::pi;
    sum += std::exp(-0.5 * wave * wave * free / square) / (wave * wave * wave * wave);
  }
  return square * (1.0 / 6 - 16 * sum);
}

// With E = exp(-w): s(1) = E/q, q = 1 + p (1 - E)/w, and w ∫ s dt = (1 - E) ln q/(q - 1).
double missed_collisions(double with_discs, double with_walls) {
  if (!(with_discs > 0)) return 0;
  const double free = std::max(1e-6, 1 - with_discs - std::max(0.0, with_walls));
  double p = 1 / free - 1;
  if (with_walls > 1e-9) {
    double low = 0, high = -std::log(free);
    for (int k = 0; k < 100; ++k) {
      const double w = 0.5 * (low + high), e = std::exp(-w), q = e / free;
      const double hits = q > 1 + 1e-12 ? (1 - e) * std::log(q) / (q - 1) : 1 - e;
      (hits < with_walls ? low : high) = w;
      p = (q - 1) * w / -std::expm1(-w);
    }
  }
  return p > with_discs ? 1 - with_discs / p : 0;
}

double conducted_temperature(double from, double to, double fraction) {
  const double low = from * std::sqrt(from), high = to * std::sqrt(to);
  return std::pow(low + (high - low) * fraction, 2.0 / 3);
}

double barometric_density(double y, double height, double gravity, double thermal) {
  const double heights = gravity * height / thermal;
  return heights > 1e-6 ? heights * std::exp(-gravity * y / thermal) / -std::expm1(-heights) : 1;
}

double adiabatic_heating(double from, double to) {
  // Simpson's rule in ln φ, where Z is smooth.
  constexpr int pieces = 64;
  const double step = std::log(to / from) / pieces;
  double sum = 0;
  for (int k = 0; k <= pieces; ++k) {
    const double weight = k == 0 || k == pieces ? 1 : k % 2 ? 4 : 2;
    sum += weight * compressibility(from * std::exp(k * step));
  }
  return std::exp(sum * step / 3);
}

std::vector<CurvePoint> adiabat(double from, double low, double high,
                                const std::function<double(double volume)>& pressure) {
  constexpr int pieces = 32;
  std::vector<CurvePoint> points;
  const auto go = [&](double to) {
    const double step = (to - from) / pieces;
    double work = 0;
    for (int k = 0; k < pieces; ++k) {
      const double at = from + k * step;
      work += step / 6 * (pressure(at) + 4 * pressure(at + 0.5 * step) + pressure(at + step));
      points.push_back({at + step, std::exp(-work)});
    }
  };
  if (low < from) go(low);
  std::reverse(points.begin(), points.end());
  points.push_back({from, 1});
  if (high > from) go(high);
  return points;
}

Shock disc_shock(double fraction, double thermal, double radius, double piston) {
  const double per_fraction = 1 / (std::numbers::pi * radius * radius);
  const double density = fraction * per_fraction, pressure = density * thermal * compressibility(fraction);
  // For a given density behind the shock, mass and momentum give the pressure, and energy the temperature. If the
  // density is too low, the pressure of the equation of state is lower than that.
  Shock shock;
  const auto missing_until = [&](double behind) {
    const double density2 = behind * per_fraction;
    shock.fraction = behind;
    shock.speed = piston * density2 / (density2 - density);
    const double pressure2 = pressure + density * shock.speed * piston;
    shock.thermal = thermal + 0.5 * (pressure + pressure2) * (1 / density - 1 / density2);
    return pressure2 - density2 * shock.thermal * compressibility(behind);
  };
  double low = fraction * (1 + 1e-9), high = largest_fluid_fraction;
  if (!(piston > 0) || !(thermal >= 0) || !(fraction > 0 && fraction < high) || missing_until(high) > 0) return {};
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (missing_until(middle) > 0 ? low : high) = middle;
  }
  missing_until(0.5 * (low + high));
  return shock;
}

}  // namespace perturb::particles
