// How much of which frequency is in readings at even intervals.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

struct Spectrum {
  std::vector<CurvePoint> points;  // frequency and amplitude, up to half of the readings' rate; empty: too few readings
  // The strongest swing that goes on for at least two periods; 0: there is none that is more than rounding.
  double peak = 0, amplitude = 0;
  // Half of the distance of two lines, 1/(2·T) of readings over a time T: the peak lies within it.
  double uncertainty = 0;
};

inline constexpr std::size_t least_for_spectrum = 32, most_for_spectrum = 8192;

// Of the newest readings, as many as are a power of two: their mean taken off, under Hann's window (so that a swing
// that does not fit the time a whole number of times stays one peak), and the peak's place from the parabola through
// the logarithms of the three lines around it. `spacing`: the time from one reading to the next. `least`: a swing of a
// smaller amplitude is none; nor is one that is lost in single precision beside the readings themselves.
Spectrum spectrum_of(std::span<const double> values, double spacing, double least = 0);

}  // namespace perturb
