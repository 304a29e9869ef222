// The flow's numbers and curves in words and units.
#pragma once

#include <cstdint>

#include "cuda/core/diagnostics.h"
#include "cuda/lbm/lbm_history.h"
#include "cuda/lbm/lbm_paint.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_sums.h"

namespace perturb {

struct LbmReport {
  const LbmParameters& parameters;
  int width, height;  // cells
  std::int64_t step;
  const LbmSums& sums;
  double speed;              // the one that coefficients and the Reynolds number are made with, cell/step
  bool streams;              // whether fluid enters at an inlet
  int front;                 // rows that painted walls span; 0: none
  const LbmHistory* forces;  // null: no painted walls
  const LbmHistory* probe;   // null: no probe
  LbmShown shown;
};

Diagnostics lbm_describe(const LbmReport& report);

// The Strouhal number f D/U of a circular cylinder in a wide stream: Roshko, NACA TN 2913 (1953), measured for Reynolds
// numbers of 50 to 150 and 300 to 2000; 0 elsewhere. A channel not much wider than the cylinder raises it.
double lbm_expected_strouhal(double reynolds);

}  // namespace perturb
