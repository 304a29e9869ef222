// Diagnostics of the fibers from measured numbers, with the values of theory.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/fibers/measure/sums.h"
#include "cuda/fibers/model/break.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/solver.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

// Measurement at one instant, in half fiber lengths and a lone upright fiber's velocity.
struct FiberMeasured {
  FiberSums sums;
  Overlaps overlaps;
  FiberShape shape;
  ShapeFrame frame;
  FiberCore core;
  std::int64_t step = 0;
  double time = 0;
  int fibers = 1;
  Solve solve;
  std::string failure;   // why forces were not found; else empty
  bool unequal = false;  // in length
  double shortest = 1, longest = 1;
  RingBreak ring_break;
};

// Values that a report needs in addition to the measurement.
struct ReportContext {
  const FiberParameters& parameters;
  FiberShown shown;
  std::size_t matrix_bytes;  // stored
  double closed_pairs;       // pairs in closed form
};

Diagnostics describe_fibers(const FiberMeasured& measured, const ReportContext& context);

}  // namespace perturb::fibers
