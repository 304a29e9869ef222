// The flow's numbers and curves as text with units.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/measure/history.h"
#include "cuda/lbm/measure/profile.h"
#include "cuda/lbm/measure/sums.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/forces.h"
#include "cuda/lbm/parameters.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

struct Report {
  const Parameters& parameters;
  int width, height;  // cells
  std::int64_t step;
  const Sums& sums;
  double speed;                      // the reference speed of coefficients and the Reynolds number, cell/step
  bool walls;                        // whether walls were drawn
  const Bodies& bodies;              // of these walls
  const std::vector<Force>& forces;  // one per bodies.reported; empty: not measured
  const std::vector<History>& force_histories;  // one per bodies.reported, along the stream and across it
  const Profiles& profiles;
  const History* probe;  // null: no probe
  Shown shown;
};

Diagnostics lbm_describe(const Report& report);

// The component of a force along the stream (drag) and to the left of it (lift).
inline double lbm_drag(const Force& f, Stream s) { return s.sign * (s.along_y ? f.y : f.x); }
inline double lbm_lift(const Force& f, Stream s) { return s.sign * (s.along_y ? -f.x : f.y); }

}  // namespace perturb::lbm
