#include "cuda/particles/measure/theory.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace perturb::particles {

double disc_compressibility(double f) {
  return (1 + f * f * (1.0 / 8 + f * (1.0 / 18 - f * (4.0 / 21)))) / ((1 - f) * (1 - f));
}

double disc_contact_value(double f) { return f > 1e-9 ? (disc_compressibility(f) - 1) / (2 * f) : 1; }

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
  const double pressure = fraction / (std::numbers::pi * radius * radius) * thermal * disc_compressibility(fraction);
  const double tension = thermal * fraction / (std::numbers::pi * radius * (1 - fraction));
  return pressure - 4 * tension / (width + height);
}

// With n = φ/πr² discs per area, σ = 2r and χ the contact value, a disc has 2√π n σ χ √(kT/m) collisions per unit of
// time, and its mean speed is √(π kT/2m).
double enskog_free_path(double fraction, double radius) {
  return std::numbers::pi * radius / (4 * std::numbers::sqrt2 * fraction * disc_contact_value(fraction));
}

// D = √(kT/πm) / (2 n σ χ).
double enskog_diffusion(double fraction, double radius, double thermal) {
  return std::sqrt(thermal * std::numbers::pi) * radius / (4 * fraction * disc_contact_value(fraction));
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
    sum += weight * disc_compressibility(from * std::exp(k * step));
  }
  return std::exp(sum * step / 3);
}

DiscShock disc_shock(double fraction, double thermal, double radius, double piston) {
  const double per_fraction = 1 / (std::numbers::pi * radius * radius);
  const double density = fraction * per_fraction, pressure = density * thermal * disc_compressibility(fraction);
  // For a given density behind the shock, mass and momentum give the pressure, and energy the temperature. If the
  // density is too low, the pressure of the equation of state is lower than that.
  DiscShock shock;
  const auto missing_until = [&](double behind) {
    const double density2 = behind * per_fraction;
    shock.fraction = behind;
    shock.speed = piston * density2 / (density2 - density);
    const double pressure2 = pressure + density * shock.speed * piston;
    shock.thermal = thermal + 0.5 * (pressure + pressure2) * (1 / density - 1 / density2);
    return pressure2 - density2 * shock.thermal * disc_compressibility(behind);
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
