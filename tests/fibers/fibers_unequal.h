// Fibers of unequal length, for tests.
#pragma once

#include <cstdint>

#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

inline Parameters with_spread(double spread, LengthKind kind = LengthKind::uniform) {
  Parameters p = precise_fibers();
  p.length_spread = spread;
  p.lengths = kind;
  return p;
}

inline Placement unequal_cloud(int count, double radius, double min_distance, std::uint32_t seed) {
  Placement fibers;
  add_fiber_ball(fibers, count, {0, 0, 0}, radius, min_distance, seed, 1,
                 draw_fiber_lengths(with_spread(0.4), count, seed, 0));
  return fibers;
}

}  // namespace perturb::fibers
