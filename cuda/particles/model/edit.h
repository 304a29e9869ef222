// Edits of single discs by the user, and the search for the nearest disc.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/core/math/elementary.h"
#include "cuda/particles/measure/sums.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// The disc nearest to a point.
struct NearestDisc {
  double distance2 = 1e300;
  int slot = -1, id = INT32_MAX;
  PERTURB_HD void merge(const NearestDisc& o) {
    if (o.distance2 < distance2 || (o.distance2 == distance2 && o.id < id)) *this = o;
  }
};
template <class Real>
struct FindNearestDisc {
  DiscGrid<Real> grid;
  double x, y;
  PERTURB_HD void operator()(int column, int row, NearestDisc& nearest) const {
    const int i = row * sum_row + column;
    if (i >= grid.count) return;
    const double dx = static_cast<double>(grid.discs[i].x) - x, dy = static_cast<double>(grid.discs[i].y) - y;
    const NearestDisc here{dx * dx + dy * dy, i, grid.ids[i]};
    nearest.merge(here);
  }
};

// Pushes discs away from a point, by strength·exp(-(d/radius)²).
template <class Real>
struct KickDiscs {
  Disc<Real>* discs;
  double x, y, radius, strength;  // strength in lengths per step
  PERTURB_HD void operator()(int i) const {
    Disc<Real>& d = discs[i];
    const double dx = static_cast<double>(d.x) - x, dy = static_cast<double>(d.y) - y;
    const double distance2 = dx * dx + dy * dy;
    const double share = distance2 / (radius * radius);
    if (!(share < 40) || !(distance2 > 0)) return;
    const double push = strength * exponential(-share) / std::sqrt(distance2);
    d.vx = static_cast<Real>(static_cast<double>(d.vx) + push * dx);
    d.vy = static_cast<Real>(static_cast<double>(d.vy) + push * dy);
  }
};

// Reverses all velocities.
template <class Real>
struct ReverseDiscs {
  Disc<Real>* discs;
  PERTURB_HD void operator()(int i) const { discs[i].vx = -discs[i].vx, discs[i].vy = -discs[i].vy; }
};

}  // namespace perturb::particles
