// The flow's numbers and curves in words and units.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/diagnostics.h"
#include "cuda/lbm/lbm_bodies.h"
#include "cuda/lbm/lbm_forces.h"
#include "cuda/lbm/lbm_history.h"
#include "cuda/lbm/lbm_paint.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_profile.h"
#include "cuda/lbm/lbm_sums.h"

namespace perturb::lbm {

struct LbmReport {
  const LbmParameters& parameters;
  int width, height;  // cells
  std::int64_t step;
  const LbmSums& sums;
  double speed;                         // the one that coefficients and the Reynolds number are made with, cell/step
  bool walls;                           // whether some were drawn
  const LbmBodies& bodies;              // of these
  const std::vector<LbmForce>& forces;  // on bodies.told; empty: not measured
  const std::vector<LbmHistory>& force_histories;  // of bodies.told, along the stream and across it
  const LbmProfiles& profiles;
  const LbmHistory* probe;  // null: no probe
  LbmShown shown;
};

Diagnostics lbm_describe(const LbmReport& report);

// A force along the stream (the drag) and to the left of it (the lift).
inline double lbm_drag(const LbmForce& f, LbmStream s) { return s.sign * (s.along_y ? f.y : f.x); }
inline double lbm_lift(const LbmForce& f, LbmStream s) { return s.sign * (s.along_y ? -f.x : f.y); }

}  // namespace perturb::lbm
