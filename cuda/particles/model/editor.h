// User edits: finds, stops, throws and kicks discs, and reverses all velocities. For files under cuda/ only, like
// reduce.h.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/core/loops/reduce.h"
#include "cuda/core/math/elementary.h"
#include "cuda/particles/model/discs.h"
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
  Grid<Real> grid;
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
  PERTURB_HD void operator()(int i) const {
    discs[i].vx = -discs[i].vx;
    discs[i].vy = -discs[i].vy;
  }
};

// Multiplies all speeds, and counts the heat.
template <class Real>
struct HeatDiscs {
  Disc<Real>* discs;
  Grid<Real> grid;
  Real factor;
  WallUnits units;
  WallGains* gains;
  PERTURB_HD void operator()(int i) const {
    Disc<Real>& d = discs[i];
    const double before = kinetic_energy(d);
    d.vx *= factor;
    d.vy *= factor;
    const double heat = static_cast<double>(grid.kind(i).mass) * (kinetic_energy(d) - before);
    atomic_add(gains->heat, energy_units(heat, units));
  }
};

// Positions in lengths, velocities in lengths per step.
template <class Real>
class Editor {
 public:
  explicit Editor(Backend& backend) : backend_(backend), nearest_(backend) {}

  // The disc whose centre is nearest to a point.
  NearestDisc nearest(const DiscRun<Real>& now, double x, double y);
  // The id of the disc that was grabbed last; -1: none.
  int held() const { return held_; }

  // Pushes all discs away from a point, by strength·exp(-(d/radius)²).
  void kick(const DiscRun<Real>& now, double x, double y, double radius, double strength);
  // Stops the disc nearest to a point, and holds it. Throws InputError if its edge is farther away than `reach`.
  void grab(const DiscRun<Real>& now, double x, double y, double reach);
  // Gives a velocity to disc `id`; if `id` is negative, to the disc nearest to a point. Throws InputError if the disc
  // no longer exists.
  void throw_disc(const DiscRun<Real>& now, int id, double x, double y, double vx, double vy);
  // Multiplies the temperature by a factor, and adds the heat to `gains`, in the memory of the backend.
  void heat(const DiscRun<Real>& now, double factor, WallGains& gains);
  // Reverses all velocities.
  void reverse(const DiscRun<Real>& now);

 private:
  void set_velocity(const DiscRun<Real>& now, int slot, double vx, double vy);

  Backend& backend_;
  Reduction<NearestDisc> nearest_;
  int held_ = -1;
};

// Distance of the given point from the edge of the disc that was found; negative inside.
template <class Real>
double beyond_rim(const DiscSet<Real>& discs, const NearestDisc& found);

extern template class Editor<float>;
extern template class Editor<double>;
extern template double beyond_rim(const DiscSet<float>&, const NearestDisc&);
extern template double beyond_rim(const DiscSet<double>&, const NearestDisc&);

}  // namespace perturb::particles
