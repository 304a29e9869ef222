// Amplitude spectrum of evenly spaced readings.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

struct Spectrum {
  std::vector<CurvePoint> points;  // frequency and amplitude, up to half of the sampling rate; empty: too few readings
  // The dominant oscillation, of at least two periods; 0: none above the rounding error.
  double peak = 0, amplitude = 0;
  // Half the spacing of the lines, 1/(2·T) for readings over a time T: the true peak is within it.
  double uncertainty = 0;
};

inline constexpr std::size_t least_for_spectrum = 32, most_for_spectrum = 8192;

// Uses the newest readings, a power of two of them. Subtracts the mean and applies a Hann window, so that an
// oscillation with a non-integer number of periods stays one peak. The peak frequency comes from the parabola through
// the logarithms of the three lines around it. `spacing`: time between readings. `least`: oscillations of a smaller
// amplitude are ignored, as are those below single precision relative to the readings.
Spectrum spectrum_of(std::span<const double> values, double spacing, double least = 0);

}  // namespace perturb
