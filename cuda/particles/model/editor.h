// User edits: finds, stops, throws and kicks discs, and reverses all velocities. For files under cuda/ only, like
// reduce.h.
#pragma once

#include "cuda/core/loops/reduce.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/model/edit.h"

namespace perturb::particles {

// Positions in lengths, velocities in lengths per step.
template <class Real>
class DiscEditor {
 public:
  explicit DiscEditor(Backend& backend) : backend_(backend), nearest_(backend) {}

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

extern template class DiscEditor<float>;
extern template class DiscEditor<double>;
extern template double beyond_rim(const DiscSet<float>&, const NearestDisc&);
extern template double beyond_rim(const DiscSet<double>&, const NearestDisc&);

}  // namespace perturb::particles
