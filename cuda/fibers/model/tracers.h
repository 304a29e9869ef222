// Tracers: points of the fluid that it carries with it. They begin in the vertical plane through the middle of the
// cloud, in the square that the side view shows; one that leaves the square enters it again at the opposite edge, in
// the plane; what leaves above enters below at a place of its own, so that the stream from below is even.
#pragma once

#include <cstdint>

#include "cuda/core/math/vector3.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/state/saved.h"

namespace perturb::fibers {

// The square: its middle, and half its edge along x and z. In a periodic box it is a section of that, and a tracer that
// leaves the box is its image from then on.
struct TracerSquare {
  Vector3<double> middle{0, 0, 0};
  double half = 10;
  bool periodic = false;
};

class FiberTracers {
 public:
  explicit FiberTracers(Backend& backend) : backend_(backend), fluid_(backend) {}

  // Spreads `count` tracers evenly over the square (none: 0). Throws Error when memory is short, and is then as it was.
  void spread(int count, const TracerSquare& square, int fibers);
  // Those that there are, anew.
  void spread(const TracerSquare& square);
  int count() const { return count_; }

  // A step by Adams & Bashforth's second order with the fluid of these fibers, whose places and forces are those of
  // before their own step; a tracer's first step is Euler's.
  void step(const FiberParameters& parameters, const FiberSources& sources, const FiberPull& pull);
  // Brings those back that have left the square; `step`: the run's, which tells where along an edge they enter.
  void return_tracers(const TracerSquare& square, std::int64_t step);
  // After what breaks the history: another time step.
  void begin_again();

  // What a step changes, kept before one that may be given up, and taken back.
  void keep();
  void restore();

  TracersSaved save() const;
  // Of as many tracers as there are.
  void load(const TracersSaved& saved);

  // Places [tracers][3] and the velocities of the last step.
  const double* position() const { return position_.data(); }
  const double* velocity() const { return velocity_.data(); }

  static std::size_t bytes(int fibers, int count);

 private:
  Backend& backend_;
  FiberFluid fluid_;
  int count_ = 0;
  Array<double> position_, velocity_, age_, now_;
  Array<double> kept_[3];
};

}  // namespace perturb::fibers
