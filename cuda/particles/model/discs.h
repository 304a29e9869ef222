// Discs of a run, on the host and in the memory of the backend, and the box that contains them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/particles/model/cell.h"
#include "cuda/particles/model/fixtures.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/model/start.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// All in lengths; the left and the lower wall are at 0.
class PistonBox {
 public:
  explicit PistonBox(const Parameters& p) : width_(p.box), height_(p.box * p.aspect), right_(p.box) {}

  double width() const { return width_; }  // of the box at the start
  double height() const { return height_; }
  double right() const { return right_; }  // position of the right wall
  void set_right(double right) { right_ = right; }
  bool has_moved() const { return right_ != width_; }

  // The position, as a fraction of the width, to which the user has dragged the right wall. It follows at
  // parameters.wall_speed, and stays there. Negative: the wall moves as a piston does, by parameters.piston_speed.
  double target() const { return target_; }
  void drag_to(double target) { target_ = target; }
  void let_go() { target_ = -1; }

  // Where the right wall goes, and how far in a step. The piston stops where a disc of the largest radius still fits. A
  // dragged wall also stops where discs, which cover the area `covered`, still are a fluid.
  struct Motion {
    double end, travel;
  };
  Motion motion(const Parameters& p, double largest_radius, double covered) const {
    if (target_ >= 0) {
      const double min_right = std::min(right_, std::max(4 * largest_radius, covered / (0.69 * height_)));
      return {std::clamp(target_ * width_, min_right, width_), p.wall_speed / p.slow_factor};
    }
    return {std::max(p.piston_end * width_, 4 * largest_radius), p.piston_speed / p.slow_factor};
  }

  // Chooses how far the right wall moves in the step that begins.
  void begin_step(const Parameters& p, double largest_radius, double covered) {
    push_ = 0;
    arrives_ = false;
    const auto [end, travel] = motion(p, largest_radius, covered);
    if (target_ < 0) {
      push_ = right_ > end ? -std::min(travel, right_ - end) : 0;
      return;
    }
    goal_ = end;
    arrives_ = std::abs(goal_ - right_) <= travel;
    push_ = std::clamp(goal_ - right_, -travel, travel);
  }
  void end_step() {
    right_ = arrives_ ? goal_ : right_ + push_;
    push_ = 0;
    arrives_ = false;
  }
  bool is_moving() const { return push_ != 0; }  // in the current step
  // No step is in progress: the last one was stopped.
  void rest() {
    push_ = 0;
    arrives_ = false;
  }

  template <class Real>
  Box<Real> walls() const {
    return {static_cast<Real>(right_), static_cast<Real>(height_), static_cast<Real>(push_)};
  }
  void visit_members(MemberCopier& copy) { copy(right_, target_); }

 private:
  double width_, height_, right_;
  double push_ = 0;  // how far the right wall moves in the current step
  double target_ = -1, goal_ = 0;
  bool arrives_ = false;  // at goal_, at the end of the current step
};

// ---- memory

// Linear in the number of discs. `next` and the members after `disc_collisions` are scratch of a step.
template <class Real>
struct Storage {
  Array<Disc<Real>> discs, next;
  Array<Kind<Real>> kinds;  // empty if all discs are equal
  Array<int> ids;
  Array<std::uint32_t> wall_collisions, disc_collisions;
  Array<int> claims, others, list, other_list;

  Storage() = default;
  Storage(Backend& backend, std::size_t count, bool unequal)
      : discs(backend, count, "discs"),
        ids(backend, count, "ids of discs"),
        wall_collisions(backend, count, "wall collisions"),
        disc_collisions(backend, count, "disc collisions") {
    if (unequal) kinds = Array<Kind<Real>>(backend, count, "radii and masses");
    make_scratch(backend, count);
  }
  // Allocates scratch for this number of discs, unless it exists in this size.
  void make_scratch(Backend& backend, std::size_t count) {
    if (next.size() == count) return;
    next = Array<Disc<Real>>(backend, count, "discs after the step");
    claims = Array<int>(backend, count, "partners");
    others = Array<int>(backend, count, "next partners");
    list = Array<int>(backend, count, "waiting discs");
    other_list = Array<int>(backend, count, "waiting discs");
  }
  static std::size_t bytes_per_disc() { return 2 * sizeof(Disc<Real>) + sizeof(Kind<Real>) + 7 * sizeof(int); }
};

// ---- on the host

// In the order of their ids; velocities in lengths per step.
template <class Real>
struct HostDiscs {
  std::vector<Disc<Real>> discs;
  std::vector<Kind<Real>> kinds;  // empty: all equal
  std::vector<std::uint32_t> wall_collisions, disc_collisions;
  std::vector<Disc<Real>> origins;  // where they came into the run
};

template <class Real>
HostDiscs<Real> discs_of_start(const Start& start, double slow) {
  HostDiscs<Real> host;
  for (std::size_t k = 0; k < start.count(); ++k)
    host.discs.push_back({static_cast<Real>(start.x[k]), static_cast<Real>(start.y[k]),
                          static_cast<Real>(start.vx[k] / slow), static_cast<Real>(start.vy[k] / slow)});
  for (std::size_t k = 0; k < start.radius.size(); ++k)
    host.kinds.push_back({static_cast<Real>(start.radius[k]), static_cast<Real>(start.mass[k])});
  host.wall_collisions.assign(start.count(), 0);
  host.disc_collisions.assign(start.count(), 0);
  host.origins = host.discs;
  return host;
}

// The few discs that are much larger than the rest; cells are not made wide enough for them.
template <class Real>
std::vector<int> choose_large_discs(const std::vector<Kind<Real>>& kinds) {
  constexpr std::size_t max_listed = 64;
  std::vector<int> order(kinds.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto radius = [&](int k) { return kinds[static_cast<std::size_t>(k)].radius; };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return radius(a) != radius(b) ? radius(a) > radius(b) : a < b; });
  for (std::size_t k = 0; k < std::min(max_listed, order.size()); ++k)
    if (k + 1 < order.size() && radius(order[k]) > Real(1.5) * radius(order[k + 1])) {
      order.resize(k + 1);
      return order;
    }
  return {};
}

// The largest radius except for those; `usual` if all discs are equal.
template <class Real>
double radius_in_cells(const std::vector<Kind<Real>>& kinds, const std::vector<int>& large_discs, double usual) {
  if (kinds.empty()) return usual;
  Real largest = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (std::find(large_discs.begin(), large_discs.end(), static_cast<int>(k)) == large_discs.end())
      largest = std::max(largest, kinds[k].radius);
  return static_cast<double>(largest);
}

// ---- on the backend

// Indices are slots: a search may change the order in memory. Ids are constant and count from 0.
template <class Real>
class DiscSet {
 public:
  DiscSet() = default;
  // `usual_radius`: of equal discs. Throws Error when memory is short.
  DiscSet(Backend& backend, const HostDiscs<Real>& host, double usual_radius);

  int count() const { return count_; }
  bool alike() const { return storage_.kinds.empty(); }      // one radius, and mass 1
  double cell_radius() const { return cell_radius_; }        // of the largest disc in cells
  double largest_radius() const { return largest_radius_; }  // of all
  double covered() const { return covered_; }                // area of all discs
  // Of a mixture with at least a hundredth of all discs of each kind; otherwise empty.
  const std::vector<DiscsOfKind>& kinds() const { return kinds_; }
  int heavy_slot() const { return heavy_slot_; }  // of the largest of the large discs; -1: there are none
  double radius(int slot) const;
  const Array<int>& large_discs() const { return large_discs_; }  // slots of the discs too large for the cells
  const Array<Disc<Real>>& origins() const { return origins_; }   // by id: where they came into the run

  Storage<Real>& storage() { return storage_; }
  const Storage<Real>& storage() const { return storage_; }
  Grid<Real> grid(const PistonBox& box) const;

  // By id, on the host.
  HostDiscs<Real> download() const;
  // The largest velocity component, lengths per step.
  double fastest() const;

  // Members that a state copy holds. After it is restored, scratch memory may have another size.
  void visit_members(MemberCopier& copy);
  void make_scratch(Backend& backend) { storage_.make_scratch(backend, static_cast<std::size_t>(count_)); }

 private:
  int count_ = 0;
  double cell_radius_ = 1, largest_radius_ = 1, covered_ = 0;
  int heavy_slot_ = -1;
  std::vector<DiscsOfKind> kinds_;
  Storage<Real> storage_;
  Array<int> large_discs_;
  Array<Disc<Real>> origins_;
};

// The largest velocity component of these discs.
template <class Real>
double fastest_of(const std::vector<Disc<Real>>& discs);

// Current state of the run, for painting, measurement and edits.
template <class Real>
struct DiscRun {
  const Parameters& parameters;
  const DiscSet<Real>& discs;
  const PistonBox& box;
  const Fixtures& fixtures;
  const StepControl* control;
  std::int64_t steps;
  WallUnits units;

  Grid<Real> grid() const { return discs.grid(box); }
  double slow() const { return parameters.slow_factor; }  // steps per time unit
};

extern template class DiscSet<float>;
extern template class DiscSet<double>;
extern template double fastest_of(const std::vector<Disc<float>>&);
extern template double fastest_of(const std::vector<Disc<double>>&);

// ---- discs added and removed

// Request of the action `add`: up to `count` discs at random positions in a circle. Lengths.
struct DiscsToAdd {
  double x = 0, y = 0, reach = 0;  // the circle
  int count = 0;
  double radius = 1, mass = 1, speed = 0;  // of each disc; the speed in lengths per step
};

// Adds discs where they overlap no other. `largest_in_cells`: the radius of the largest disc except for a few. The
// result for a seed and a step is the same on every machine. Throws InputError if there would be too many discs, or if
// none fits; `host` may have changed then.
template <class Real>
void add_discs(HostDiscs<Real>& host, const DiscsToAdd& wanted, const Parameters& parameters, const PistonBox& box,
               double largest_in_cells, std::uint32_t seed, std::int64_t step);

// Adds up to `count` discs of the scene's kinds anywhere in the box where they overlap no other, with the velocities of
// a gas at the temperature of the discs that are there. Returns how many were added: fewer if none of many random
// positions is free. The result for a seed and a step is the same on every machine.
template <class Real>
int add_discs_anywhere(HostDiscs<Real>& host, int count, const Parameters& parameters, const PistonBox& box,
                       double largest_in_cells, std::uint32_t seed, std::int64_t step);
// The discs without the last `count`; the scene's heavy disc and one other always stay.
template <class Real>
HostDiscs<Real> without_last_discs(const HostDiscs<Real>& host, int count, const Parameters& parameters);

// Discs outside a circle; the last disc always stays.
template <class Real>
HostDiscs<Real> discs_outside(const HostDiscs<Real>& host, double x, double y, double reach);

extern template void add_discs(HostDiscs<float>&, const DiscsToAdd&, const Parameters&, const PistonBox&, double,
                               std::uint32_t, std::int64_t);
extern template void add_discs(HostDiscs<double>&, const DiscsToAdd&, const Parameters&, const PistonBox&, double,
                               std::uint32_t, std::int64_t);
extern template int add_discs_anywhere(HostDiscs<float>&, int, const Parameters&, const PistonBox&, double,
                                       std::uint32_t, std::int64_t);
extern template int add_discs_anywhere(HostDiscs<double>&, int, const Parameters&, const PistonBox&, double,
                                       std::uint32_t, std::int64_t);
extern template HostDiscs<float> without_last_discs(const HostDiscs<float>&, int, const Parameters&);
extern template HostDiscs<double> without_last_discs(const HostDiscs<double>&, int, const Parameters&);
extern template HostDiscs<float> discs_outside(const HostDiscs<float>&, double, double, double);
extern template HostDiscs<double> discs_outside(const HostDiscs<double>&, double, double, double);

}  // namespace perturb::particles
