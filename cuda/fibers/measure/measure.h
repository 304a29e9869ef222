// The numbers of a run of fibers: sums over them, their core, and the pairs that lie in each other.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/core/bench/async_measurement.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/fibers/measure/describe.h"
#include "cuda/fibers/measure/sums.h"
#include "cuda/fibers/model/state.h"

namespace perturb::fibers {

// The moment that is measured. Its velocities are found.
struct MeasureInput {
  const FiberParameters& parameters;
  const FiberState& state;
  std::int64_t step;
  double time;
  const Solve& solve;
  const std::string& failure;
  const RingBreak& ring_break;
};

// Measures beside the run: one measurement at a time is on its way. Its core is found on the host.
class FiberMeasure {
 public:
  explicit FiberMeasure(Backend& backend) : backend_(backend), sums_(backend), overlaps_(backend), shape_(backend) {}

  // The latest measurement; with `wait` one of this moment.
  const FiberMeasured& update(const MeasureInput& now, bool wait);
  // Null while there is none.
  const FiberMeasured* latest() const { return measurement_.latest(); }
  // The fibers became others: what is on its way is not awaited. The latest is told until the next one comes back.
  void drop_pending() { wait_for_all(), measurement_.drop_pending(); }
  // The run is another one.
  void forget() { wait_for_all(), measurement_.forget(); }

 private:
  FiberMeasured start(const MeasureInput& now, bool wait);
  void wait_for_all() { sums_.wait(), overlaps_.wait(), shape_.wait(); }

  Backend& backend_;
  Reduction<FiberSums> sums_;
  Reduction<Overlaps> overlaps_;
  Reduction<FiberShape> shape_;
  AsyncMeasurement<FiberMeasured> measurement_;
};

}  // namespace perturb::fibers
