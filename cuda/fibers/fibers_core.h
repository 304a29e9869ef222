// The fibers that stay together, without those that a cloud loses in its wake, and what is known of how they fall.
#pragma once

#include <span>
#include <string>

#include "cuda/core/vector3.h"

namespace perturb {

// Lengths in half fiber lengths, velocities in a lone upright fiber's.
struct FiberCore {
  int fibers = 0;     // that belong to it
  double weight = 0;  // of these, in weights of a fiber of half-length 1
  // Mean half-lengths of its fibers and of the others; 0: there are none.
  double mean_length = 0, mean_length_behind = 0;
  // How far the longer half of all fibers (longer than the mean) lies below the shorter one, by their mean heights.
  double long_below = 0;
  Vector3<double> middle{0, 0, 0};
  double radius = 0;               // of the uniform ball that is as wide
  double half_height = 0;          // of the uniform spheroid that is as high
  double aspect = 0;               // height over width; 1: as high as wide
  double fall = 0, lone_fall = 0;  // means; the second: as if each fiber were alone
  // As a ring about the vertical through the middle: the mean distance from that axis, and the radius of the round
  // section that spreads as much.
  double ring_radius = 0, ring_section = 0;
  // How unevenly the fibers lie around that axis: twice the largest of |<exp(i k phi)>|, k = 2 to 6. A density
  // 1 + c cos(k phi) has c, and at c = 1 it is nothing somewhere: the ring has parted. At random it is about
  // 2/sqrt(fibers).
  double parting = 0;
};

// Fewer fibers are no cloud: where they are is chance.
constexpr int fewest_core_fibers = 20;

// Of fibers at `position` with unit tangents `tangent` and velocities `velocity`, [fibers][3] each. Begins about the
// median, which no few stragglers move, and takes the fibers within `core_reach` of the ball that the last ones span,
// until they stay the same. `half_lengths`: [fibers], or none where all are 1.
FiberCore find_fiber_core(std::span<const double> position, std::span<const double> tangent,
                          std::span<const double> velocity, double d, std::span<const double> half_lengths = {});

// What is known of the mean fall of a core's fibers.
struct FiberFallEstimate {
  bool known = false;
  double fall = 0;
  std::string why_not;  // a sentence, where it is not known
};
// A core that is flatter, higher or more uneven about its axis is no ball for the estimate. Within these bounds clouds
// of 200 and 300 fibers fell within 12 % of it; beyond them the estimate came to be a fifth too small.
constexpr double lowest_ball_aspect = 2.0 / 3, highest_ball_aspect = 1.5, most_ball_parting = 0.5;
FiberFallEstimate estimate_fiber_fall(const FiberCore& core, double d);

// What `fibers` point forces in a uniform ball, all together of the weight `weight`, add to each other's fall on
// average, (1 - 1/M) W 8/(5 R d): the mean of G_zz over all pairs, whoever of them is the heavier one. It is the speed
// of a drop of that weight in a fluid as viscous as its own (Hadamard 1911, Rybczynski 1911).
double fiber_ball_fall(double fibers, double weight, double radius, double d);

}  // namespace perturb
