// What a probe has read over time, evenly spaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class Series {
 public:
  // The newest so many readings are kept, like an oscilloscope's screen: the spacing stays what it is, so that no
  // frequency is folded onto another one, and memory is bounded.
  static constexpr std::size_t most_readings = 16384;

  // A reading of this step; no number where there was none. Starts anew when steps have gone back or were left out.
  void add(std::int64_t step, double time, double value, std::int64_t every);
  void clear();
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  // The newest readings at even intervals of time that are all numbers: what a spectrum can be made of. A change of the
  // time step ends the evenness.
  std::vector<double> even_values() const;
  double spacing() const { return spacing_; }
  std::int64_t last_step() const { return last_step_; }
  double latest() const;
  // Over time; where there are more than `most`, the extremes of each stretch, in their order.
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
