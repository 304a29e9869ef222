// Sums over a tank's cells that its surface and its medium need.
#pragma once

#include <cfloat>
#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/wave/model/edit.h"

namespace perturb::wave {

// Sum of the changes of height of all cells in the last step.
struct Drift {
  double sum = 0;
  PERTURB_HD void merge(const Drift& other) { sum += other.sum; }
};
template <class Real>
struct DriftSum {
  View2D<const Real> u, u_previous;
  PERTURB_HD void operator()(int i, int j, Drift& into) const {
    into.sum += static_cast<double>(u(i, j)) - static_cast<double>(u_previous(i, j));
  }
};

// The slowest and the fastest water of the speed map, and whether there is a wall.
struct MediumSums {
  float slowest = FLT_MAX, fastest = 0;
  std::int64_t walls = 0;
  std::int64_t altered = 0;  // cells whose speed is not c
  PERTURB_HD void merge(const MediumSums& other) {
    slowest = other.slowest < slowest ? other.slowest : slowest;
    fastest = other.fastest > fastest ? other.fastest : fastest;
    walls += other.walls;
    altered += other.altered;
  }
};
template <class Real>
struct MediumSum {
  View2D<const Real> medium;
  PERTURB_HD void operator()(int i, int j, MediumSums& into) const {
    const Real m = medium(i, j);
    const float factor = fabsf(static_cast<float>(m));
    into.walls += is_wall(m) ? 1 : 0;
    into.altered += factor != 1.f ? 1 : 0;
    // The speed in a wall counts too: erasing the wall restores it.
    into.slowest = factor < into.slowest ? factor : into.slowest;
    into.fastest = factor > into.fastest ? factor : into.fastest;
  }
};

// Counts, as `walls`, the cells that stay water after a wall of this shape is added.
template <class Real>
struct WaterLeft {
  View2D<const Real> medium;  // may be empty
  Shape shape;
  PERTURB_HD void operator()(int i, int j, MediumSums& into) const {
    into.walls += shape.holds(i, j) || (!medium.empty() && is_wall(medium(i, j))) ? 0 : 1;
  }
};

}  // namespace perturb::wave
