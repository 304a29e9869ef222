// Cloud of point forces, as of particles much smaller than their distances: the model by which Nitsche & Batchelor, J.
// Fluid Mech. 340 (1997) 161-175, followed falling clouds. It is the limit of fibers much shorter than their distances,
// without the effect of directions: each falls at the mean speed of a fiber over all directions, and carries the others
// by the first term of its flow.
#pragma once

#include <span>
#include <vector>

namespace perturb::fibers {

// Mean fall of lone fibers with random directions: (d + 2 + (d - 2)/3)/(2 d).
double mean_lone_fall(double d);

// Velocities of point forces of one fiber's weight at `position`, [points][3] each: -lone e_z and, of each of the
// others at r from it, -(e_z/|r| + z r/|r|³)/d.
std::vector<double> point_velocities(std::span<const double> position, double lone, double d);

// Moves points by the second-order Adams-Bashforth scheme, beginning with an Euler step.
class FallingPoints {
 public:
  FallingPoints(std::vector<double> position, double d);
  void step(double dt);
  const std::vector<double>& position() const { return position_; }
  const std::vector<double>& velocity() const { return velocity_; }  // there

 private:
  double d_;
  std::vector<double> position_, velocity_, before_;
};

}  // namespace perturb::fibers
