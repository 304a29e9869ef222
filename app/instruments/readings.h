// Readings of the instruments: series of a probe, spectra, profiles of a line cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "app/instruments/instrument.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Evenly spaced readings of a probe over time.
class Series {
 public:
  // Keeps only the newest readings, up to this number, like the screen of an oscilloscope. The spacing does not change,
  // so no frequency is aliased, and memory is bounded.
  static constexpr std::size_t max_readings = 16384;

  // Adds the reading of this step; NaN if there was none. Starts again if steps were left out. If the step went back,
  // the reading replaces those that came later.
  void add(std::int64_t step, double time, double value, std::int64_t every);
  void clear();
  bool empty() const { return values_.empty(); }
  // Whether no old reading had to make room for new ones.
  bool is_whole() const { return older_.empty(); }
  // All readings that are kept as they are.
  std::vector<CurvePoint> kept() const;
  std::size_t size() const { return values_.size(); }
  // The newest readings at equal time intervals that are all numbers: the input of a spectrum. A change of the time
  // step ends the sequence.
  std::vector<double> even_values() const;
  double spacing() const { return spacing_; }
  std::int64_t last_step() const { return last_step_; }
  double latest() const;
  // For drawing: what remains of old readings, and the others; if there are more than `max_groups`, the newest half of
  // `max_groups` as they are (groups of one), and the older ones as equal groups.
  std::vector<SampleGroup> groups(std::size_t max_groups) const;

 private:
  struct Reading {
    double time, value;
  };
  static constexpr std::size_t max_older = 512;
  void keep_in_group(const Reading& oldest);
  void drop_from(std::int64_t step, std::int64_t every);

  std::deque<Reading> values_;
  std::vector<SampleGroup> older_;
  std::size_t in_group_ = 32;  // readings of a group
  std::int64_t last_step_ = -1;
  double spacing_ = 0;
};

// Amplitude spectrum of evenly spaced readings.
struct Spectrum {
  std::vector<CurvePoint> points;  // frequency and amplitude, up to half of the sampling rate; empty: too few readings
  // The dominant oscillation, of at least two periods; 0: none above the rounding error.
  double peak = 0, amplitude = 0;
  // The strongest oscillation has too few readings per period: it may be a faster one that appears slower.
  bool is_unresolved = false;
  // Half the spacing of the lines, 1/(2·T) for readings over a time T: the true peak is within it.
  double uncertainty = 0;
};

inline constexpr int min_readings_per_period = 6;
inline constexpr std::size_t min_for_spectrum = 32, max_for_spectrum = 8192;

// Uses the newest readings, a power of two of them. Subtracts the mean and applies a Hann window, so that an
// oscillation with a non-integer number of periods stays one peak. The peak frequency comes from the parabola through
// the logarithms of the three lines around it. `spacing`: time between readings. `min_amplitude`: oscillations of a
// smaller amplitude are ignored, as are those below single precision relative to the readings.
Spectrum spectrum_of(std::span<const double> values, double spacing, double min_amplitude = 0);

// Readings of a line cut: the quantity along a line, current or averaged over time.
class Profile {
 public:
  // Takes the current values at evenly spaced points along the line. Points without a number (in a wall) are omitted.
  void take(std::span<const double> values) { now_.assign(values.begin(), values.end()); }
  // Adds the values of one state to the mean.
  void add_to_mean(std::span<const double> values);
  void clear();
  std::size_t moments() const { return moments_; }  // number of states in the mean
  // The profile over the distance from the first end; `averaged`: the mean of all states, at the points that had a
  // number in each of them.
  std::vector<CurvePoint> points(bool averaged, double length) const;

 private:
  std::vector<double> now_, sum_;
  std::size_t moments_ = 0;
};

// `count` evenly spaced points of a cut, including both ends.
std::vector<Camera::Point> places_along(const Instrument& cut, std::size_t count);

}  // namespace perturb
