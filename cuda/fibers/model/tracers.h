// Tracers: points that the fluid carries. They begin in the vertical plane through the middle of the cloud, in the
// square that the side view shows. One that leaves the square enters it again at the opposite edge, in the plane. Those
// that leave above enter below at new positions, so that the stream from below is even.
#pragma once

#include <cstdint>

#include "cuda/core/math/vector3.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/state/saved.h"

namespace perturb::fibers {

// The square: its middle, and half its edge along x and z. In a periodic box it is a section of that, and a tracer that
// leaves the box continues as its image.
struct TracerSquare {
  Vector3<double> middle{0, 0, 0};
  double half = 10;
  bool periodic = false;
};

class FiberTracers {
 public:
  explicit FiberTracers(Backend& backend) : backend_(backend), fluid_(backend) {}

  // Spreads `count` tracers evenly over the square (none: 0). Throws Error when memory is short, and is unchanged then.
  void spread(int count, const TracerSquare& square, int fibers);
  // Spreads the existing tracers again.
  void spread(const TracerSquare& square);
  int count() const { return count_; }

  // Takes a step by the second-order Adams-Bashforth scheme with the fluid of these fibers, whose positions and forces
  // are those before their own step; a tracer's first step is Euler's.
  void step(const FiberParameters& parameters, const FiberSources& sources, const FiberPull& pull);
  // Returns tracers that have left the square; `step`: the run's, which determines where along an edge they enter.
  void return_tracers(const TracerSquare& square, std::int64_t step);
  // Call after a change that breaks the history: another time step.
  void begin_again();

  // Copies the members that a step changes, before a step that may be stopped, and restores them.
  void keep();
  void restore();

  TracersSaved save() const;
  // For the existing number of tracers.
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
