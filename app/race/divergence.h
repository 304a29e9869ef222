// The largest difference between two lanes over time, and how fast it grows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// An exponential fit of a part of the difference: exp(logarithm_at_0 + rate·time).
struct Growth {
  double rate = 0;  // per unit of time: the Lyapunov exponent if the runs differed by rounding
  double logarithm_at_0 = 0;
  double begin = 0, end = 0;  // the times between which it was fitted
};

// Points at equal numbers of steps.
class Divergence {
 public:
  explicit Divergence(std::int64_t interval = 1) : interval_(interval) {}
  // Number of steps from this one to the next point.
  std::int64_t steps_to_point(std::int64_t step) const { return interval_ - step % interval_; }
  // Whether there is to be a point at this step.
  bool takes(std::int64_t step) const { return step % interval_ == 0; }
  // Adds the difference at this step, if the curve takes it.
  void add(std::int64_t step, double time, double difference);

  // The logarithm of the difference over time; no points where there is none.
  std::vector<CurvePoint> logarithms() const;
  // The least-squares fit between rounding and saturation: the rise from a tenth to eight tenths of its height on a
  // logarithmic axis. None unless the difference has grown a hundredfold, and more like an exponential than like a
  // power of time.
  std::optional<Growth> growth() const;

 private:
  struct Point {
    std::int64_t step;
    double time, difference;
  };
  std::vector<Point> points_;
  std::int64_t interval_;  // steps between points: doubled when they are many
};

}  // namespace perturb
