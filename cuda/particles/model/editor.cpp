#include "cuda/particles/model/editor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb::particles {

template <class Real>
double beyond_rim(const DiscSet<Real>& discs, const NearestDisc& found) {
  if (found.slot < 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(found.distance2) - discs.radius(found.slot);
}

template <class Real>
NearestDisc Editor<Real>::nearest(const DiscRun<Real>& now, double x, double y) {
  nearest_.start("particles.nearest", sum_range(now.discs.count()), FindNearestDisc<Real>{now.grid(), x, y});
  nearest_.wait();
  return nearest_.result();
}

template <class Real>
void Editor<Real>::kick(const DiscRun<Real>& now, double x, double y, double radius, double strength) {
  parallel_for(backend_, "particles.kick", Range1D{now.discs.count()},
               KickDiscs<Real>{now.discs.storage().discs.data(), x, y, radius, strength});
}

template <class Real>
void Editor<Real>::reverse(const DiscRun<Real>& now) {
  parallel_for(backend_, "particles.reverse", Range1D{now.discs.count()},
               ReverseDiscs<Real>{now.discs.storage().discs.data()});
}

template <class Real>
void Editor<Real>::heat(const DiscRun<Real>& now, double factor, WallGains& gains) {
  parallel_for(backend_, "particles.heat", Range1D{now.discs.count()},
               HeatDiscs<Real>{now.discs.storage().discs.data(), now.grid(), static_cast<Real>(std::sqrt(factor)),
                               now.units, &gains});
}

template <class Real>
void Editor<Real>::grab(const DiscRun<Real>& now, double x, double y, double reach) {
  held_ = -1;
  const NearestDisc found = nearest(now, x, y);
  if (beyond_rim(now.discs, found) > reach) throw InputError("No disc here. Press on a disc, drag and release.");
  held_ = found.id;
  set_velocity(now, found.slot, 0, 0);
}

template <class Real>
void Editor<Real>::throw_disc(const DiscRun<Real>& now, int id, double x, double y, double vx, double vy) {
  if (id < 0) {
    const NearestDisc found = nearest(now, x, y);
    if (found.slot < 0) throw InputError("No disc has a finite position. Restart the run.");
    set_velocity(now, found.slot, vx, vy);
    return;
  }
  const std::vector<int> ids = now.discs.storage().ids.download();
  const auto end = ids.begin() + now.discs.count(), found = std::find(ids.begin(), end, id);
  if (found == end) throw InputError("Cannot throw disc {}: it has been removed.", id);
  set_velocity(now, static_cast<int>(found - ids.begin()), vx, vy);
}

template <class Real>
void Editor<Real>::set_velocity(const DiscRun<Real>& now, int slot, double vx, double vy) {
  Disc<Real>* const at = now.discs.storage().discs.data() + slot;
  Disc<Real> d;
  backend_.copy_to_host(&d, at, sizeof d);
  d.vx = static_cast<Real>(vx);
  d.vy = static_cast<Real>(vy);
  backend_.copy_from_host(at, &d, sizeof d);
}

template class Editor<float>;
template class Editor<double>;
template double beyond_rim(const DiscSet<float>&, const NearestDisc&);
template double beyond_rim(const DiscSet<double>&, const NearestDisc&);

}  // namespace perturb::particles
