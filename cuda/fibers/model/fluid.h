// Fluid between the fibers, and the tracers that it carries.
//
// The velocity of the fluid at a point y is u(y) = (1/d) sum over the fibers of int G(y - x - s t) f ds, with the force
// densities f of the balance. The only additional approximation is the rule below.
//
// Tracers are points that the fluid carries. They begin in the vertical plane through the middle of the cloud, in the
// square that the side view shows. One that leaves the square enters it again at the opposite edge, in the plane. Those
// that leave above enter below at new positions, so that the stream from below is even.
#pragma once

#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/core/math/geometry.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/saved.h"

namespace perturb::fibers {

// Farther than this, times its half-length, from a fiber its integral is a sum over `fluid_nodes` Gauss points,
// accurate to (1 + sqrt 2)^(-2 fluid_nodes + N) = 6e-5 of the highest term's share; nearer, it is the closed form of
// `stable`.
constexpr double fluid_reach = 1;
constexpr int fluid_nodes = 8;

// Fibers that cause the flow: centres and unit tangents [fibers][3], force coefficients [fibers][terms][3], as in
// Flow::evaluate. All pointers are the backend's.
struct Sources {
  int fibers = 0;
  const double *position = nullptr, *tangent = nullptr, *coefficients = nullptr;
  const double* half_length = nullptr;  // [fibers]; null: all are 1
};

class Fluid {
 public:
  explicit Fluid(Backend& backend) : backend_(backend) {}

  // Allocates memory for these numbers. Throws Error when it is short, and is unchanged then.
  void reserve(int fibers, int points);
  // Velocities [points][3] at `places` [points][3], queued. Within a fiber, that of its surface nearest to the point.
  // In a periodic box every point uses each fiber's nearest image, as fibers do.
  void velocity(const Parameters& parameters, const Sources& sources, const Pull& pull, const double* poses, int points,
                double* velocity);

  static std::size_t bytes(int fibers, int points);

 private:
  Backend& backend_;
  Array<double> forces_;   // [fibers][fluid_nodes][3]
  Array<double> partial_;  // [chunks][points][3]
};

// The square: its middle, and half its edge along x and z. In a periodic box it is a section of that, and a tracer that
// leaves the box continues as its image.
struct TracerSquare {
  Vector3<double> middle{0, 0, 0};
  double half = 10;
  bool periodic = false;
};

class Tracers {
 public:
  explicit Tracers(Backend& backend) : backend_(backend), fluid_(backend) {}

  // Spreads `count` tracers evenly over the square (none: 0). Throws Error when memory is short, and is unchanged then.
  void spread(int count, const TracerSquare& square, int fibers);
  // Spreads the existing tracers again.
  void spread(const TracerSquare& square);
  int count() const { return count_; }

  // Takes a step by the second-order Adams-Bashforth scheme with the fluid of these fibers, whose positions and forces
  // are those before their own step; a tracer's first step is Euler's.
  void step(const Parameters& parameters, const Sources& sources, const Pull& pull);
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
  Fluid fluid_;
  int count_ = 0;
  Array<double> position_, velocity_, age_, now_;
  Array<double> kept_[3];
};

}  // namespace perturb::fibers
