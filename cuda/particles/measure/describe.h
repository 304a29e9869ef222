// What measured numbers of the discs say, beside what theory expects.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/particles/measure/observe.h"
#include "cuda/particles/measure/sums.h"

namespace perturb::particles {

// A measurement of one moment, in lengths and steps.
struct DiscMeasured {
  DiscSums sums;
  std::array<int, speed_bins> histogram{};
  DiscObserved seen;
  DiscCounts counts{};
  std::int64_t step = 0;
  double bin = 1;    // width of a speed bin, lengths a step
  double right = 1;  // the right wall
  double heavy_x = 0, heavy_y = 0;
};

// What is told beside it. Rates are per step.
struct ReportContext {
  double slow = 1;  // steps a time unit
  double width = 1, height = 1, radius = 1;
  int count = 1;
  bool alike = true;            // all discs have `radius` and mass 1
  bool exact = false;           // every collision is found
  bool counted = false;         // steps have been taken, in which the next three were counted
  double pressure = 0;          // on the walls, in time units
  double pairs = 0, walls = 0;  // collisions
  bool halves = false;          // a hot and a cold half are mixing
  bool one_heat = true;         // both halves began equally warm
  double piston_speed = 0, piston_end = 0;
  bool rests = true;               // the right wall, as long as the pressure has been counted
  double start_thermal = 0;        // kT/m of the start
  double reversed_at = -1;         // time of the last reversal; negative: none
  std::vector<CurvePoint> path;    // of the heavy disc
  std::vector<CurvePoint> way;     // time, mean square of the ways from the start
  std::vector<CurvePoint> mixing;  // time, entropy of mixing
};

Diagnostics describe_discs(const DiscMeasured& measured, const ReportContext& context);
std::vector<Gauge> disc_gauges(const DiscMeasured& measured, const ReportContext& context);

// The entropy of the mixture of those from the left and those from the right, over 16 x 16 parts of the box, as a share
// of its most; `at_random`: what discs in random places have, which their finite number keeps below 1.
double mixing_entropy(const DiscCounts& counts, double* at_random = nullptr);

}  // namespace perturb::particles
