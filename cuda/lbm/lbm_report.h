// The flow's numbers and curves in words and units.
#pragma once

#include <cstdint>

#include "cuda/core/diagnostics.h"
#include "cuda/lbm/lbm_history.h"
#include "cuda/lbm/lbm_paint.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_sums.h"

namespace perturb {

// What painted walls are to the stream.
struct LbmBody {
  int length = 0;     // cells, of coefficients, Reynolds and Strouhal numbers; 0: there are no walls
  bool disc = false;  // one circular cylinder that touches no side
};
// The length is that across the stream, the rows that the walls span (a cylinder's diameter, a step's height); for a
// body that touches no side and is more than three times as long as high, a wing, the length along it, its chord.
LbmBody lbm_body_of(const LbmWallSums& walls, int width, int height);

struct LbmReport {
  const LbmParameters& parameters;
  int width, height;  // cells
  std::int64_t step;
  const LbmSums& sums;
  double speed;              // the one that coefficients and the Reynolds number are made with, cell/step
  bool streams;              // whether fluid enters at an inlet
  LbmBody body;              // of the painted walls
  const LbmHistory* forces;  // null: no painted walls
  const LbmHistory* probe;   // null: no probe
  LbmShown shown;
};

Diagnostics lbm_describe(const LbmReport& report);

// The Strouhal number f D/U of a circular cylinder in a wide two-dimensional stream: Henderson's computations (J. Fluid
// Mech. 352, 1997) as fitted by Williamson & Brown (J. Fluids Struct. 12, 1998), for Reynolds numbers of 50 to 1000; 0
// elsewhere. At 100 that is 0.167, where 0.164 is measured (Williamson, Annu. Rev. Fluid Mech. 28, 1996). Above 180
// real wakes become three-dimensional, and this one cannot. A channel not much wider than the cylinder raises it.
double lbm_expected_strouhal(double reynolds);

}  // namespace perturb
