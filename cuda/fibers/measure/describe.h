// Diagnostics of the fibers from measured numbers, with the values of theory, and the gauges: how near a run is to the
// limits of the method and of the scheme.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/fibers/measure/sums.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/solver.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

// Measurement at one instant, in half fiber lengths and a lone upright fiber's velocity.
struct Measured {
  Sums sums;
  Overlaps overlaps;
  Shape shape;
  ShapeFrame frame;
  Core core;
  std::int64_t step = 0;
  double time = 0;
  int fibers = 1;
  Solve solve;
  Message failure;       // why forces were not found; else empty
  bool unequal = false;  // in length
  double shortest = 1, longest = 1;
  RingBreak ring_break;
};

// Values that a report needs in addition to the measurement.
struct ReportContext {
  const Parameters& parameters;
  Shown shown;
  std::size_t matrix_bytes;  // stored
  double closed_pairs;       // pairs in closed form
};

Diagnostics describe_fibers(const Measured& measured, const ReportContext& context);

// The bound on the number of terms, of the fiber whose half-length is `shortest`; the scheme's error of orbits;
// overlapping fibers. `latest`: the latest measurement, null if there is none.
std::vector<Gauge> fiber_gauges(const Parameters& parameters, const Measured* latest, double shortest);

// ---- orbits
//
// Effect of a time step on an orbit. Within a cloud fibers and fluid circulate. A scheme with steps too long makes
// their orbits wider or narrower each turn, so that the cloud opens, or not, for numerical reasons only.

// Relative growth of an orbit x' = i omega x after a turn (below zero: shrinkage), with theta = omega dt = `radians`
// per step: |z|^(2 pi/theta) - 1, z the larger root of the scheme's polynomial. Two-step: 3 z² - (4 + 4 i theta) z + 1
// + 2 i theta; Adams-Bashforth: z² - (1 + 3/2 i theta) z + 1/2 i theta; Runge-Kutta: z is the exponential's first
// terms.
double orbit_growth(Scheme scheme, double radians);

}  // namespace perturb::fibers
