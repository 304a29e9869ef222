// Evenly spaced readings of a probe over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class Series {
 public:
  // Keeps only the newest readings, up to this number, like the screen of an oscilloscope. The spacing does not change,
  // so no frequency is aliased, and memory is bounded.
  static constexpr std::size_t most_readings = 16384;

  // Adds the reading of this step; NaN if there was none. Starts again if the step went back or steps were left out.
  void add(std::int64_t step, double time, double value, std::int64_t every);
  void clear();
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  // The newest readings at equal time intervals that are all numbers: the input of a spectrum. A change of the time
  // step ends the sequence.
  std::vector<double> even_values() const;
  double spacing() const { return spacing_; }
  std::int64_t last_step() const { return last_step_; }
  double latest() const;
  // Readings over time; if there are more than `most`, the extremes of each interval in their order.
  std::vector<CurvePoint> points(std::size_t most) const;

 private:
  struct Reading {
    double time, value;
  };
  std::deque<Reading> values_;
  std::int64_t last_step_ = -1;
  double spacing_ = 0;
};

}  // namespace perturb
