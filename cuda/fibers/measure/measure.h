// Measurements of a run of fibers: sums over them, their core, and overlapping pairs.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/async_measurement.h"
#include "cuda/fibers/measure/describe.h"
#include "cuda/fibers/measure/sums.h"
#include "cuda/fibers/model/state.h"

namespace perturb::fibers {

// State to measure. Its velocities are known.
struct MeasureInput {
  const Parameters& parameters;
  const FiberState& state;
  std::int64_t step;
  double time;
  const Solve& solve;
  const Message& failure;
  const RingBreak& ring_break;
};

// Measures asynchronously, one measurement at a time. The core is found on the host.
class Measure {
 public:
  explicit Measure(Backend& backend) : backend_(backend), sums_(backend), overlaps_(backend), shape_(backend) {}

  // The latest measurement; with `wait` the current one.
  const Measured& update(const MeasureInput& now, bool wait);
  // Null while there is none.
  const Measured* latest() const { return measurement_.latest(); }
  // The fibers have been replaced: pending results are discarded. The latest measurement is shown until the next one
  // arrives.
  void drop_pending() {
    wait_for_all();
    measurement_.drop_pending();
  }
  // The run has been replaced.
  void forget() {
    wait_for_all();
    measurement_.forget();
  }

 private:
  Measured start(const MeasureInput& now, bool wait);
  void wait_for_all() {
    sums_.wait();
    overlaps_.wait();
    shape_.wait();
  }

  Backend& backend_;
  Reduction<Sums> sums_;
  Reduction<Overlaps> overlaps_;
  Reduction<Shape> shape_;
  AsyncMeasurement<Measured> measurement_;
};

}  // namespace perturb::fibers
