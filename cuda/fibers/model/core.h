// Core of a cloud: the fibers that stay together, without those lost in the wake. The estimate of their fall, the time
// at which their ring parts, and the middle that an image follows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/math/geometry.h"

namespace perturb::fibers {

// Lengths in half fiber lengths, velocities in a lone upright fiber's.
struct Core {
  int fibers = 0;     // that belong to it
  double weight = 0;  // of these, in weights of a fiber of half-length 1
  // Mean half-lengths of its fibers and of the others; 0: there are none.
  double mean_length = 0, mean_length_behind = 0;
  // How far the longer half of all fibers (longer than the mean) is below the shorter one, by their mean heights.
  double long_below = 0;
  Vector3<double> middle{0, 0, 0};
  double radius = 0;               // of the uniform ball that is as wide
  double half_height = 0;          // of the uniform spheroid that is as high
  double aspect = 0;               // height over width; 1: as high as wide
  double fall = 0, lone_fall = 0;  // means; the second: as if each fiber were alone
  // As a ring about the vertical through the middle: the mean distance from that axis, and the radius of the round
  // section that spreads as much.
  double ring_radius = 0, ring_section = 0;
  double section_aspect = 0;  // the section's height over its width; 1: round
  // Unevenness of the fibers around that axis: twice the largest of |<exp(i k phi)>|, k = 2 to 6. A density 1 + c cos(k
  // phi) has c, and at c = 1 it is zero somewhere: the ring has parted. At random it is about 2/sqrt(fibers).
  double parting = 0;
};

// Fewer fibers are not a cloud: their positions are chance.
constexpr int fewest_core_fibers = 20;

// Finds the core of fibers at `position` with unit tangents `tangent` and velocities `velocity`, [fibers][3] each.
// Starts at the median, which a few stragglers do not move, and takes the fibers within `core_reach` of the ball that
// the last ones span, until they stay the same. `half_lengths`: [fibers], or none if all are 1.
Core find_fiber_core(std::span<const double> position, std::span<const double> tangent,
                     std::span<const double> velocity, double d, std::span<const double> half_lengths = {});

// Estimate of the mean fall of a core's fibers.
struct FallEstimate {
  bool known = false;
  double fall = 0;
  Message why_not;  // message, if there is no estimate
};
// A core that is flatter, higher or more uneven about its axis is not a ball for the estimate. Within these bounds
// clouds of 200 and 300 fibers fell within 12 % of it; beyond them the estimate was up to a fifth too small.
constexpr double lowest_ball_aspect = 2.0 / 3, highest_ball_aspect = 1.5, max_ball_parting = 0.5;
FallEstimate estimate_fiber_fall(const Core& core, double d);
// The same for a ring, by ring_fall: given if the core's section is at most 3/4 of its radius (a ring without a
// hole has that, a ball 1.2), and as even about its axis as above. Rings of 400 fibers fell 9 to 11 % faster. A section
// is between half and twice as high as wide: a sheet is not a ring.
constexpr double thickest_ring = 0.75, lowest_section = 0.5, highest_section = 2;
FallEstimate estimate_ring_fall(const Core& core, double d);

// Mean increase of the fall of `fibers` point forces in a uniform ball, of total weight `weight`, by their interaction,
// (1 - 1/M) W 8/(5 R d): the mean of G_zz over all pairs, independent of which one is heavier. It is the speed of a
// drop of that weight in a fluid of the same viscosity (Hadamard 1911, Rybczynski 1911).
double ball_fall(double fibers, double weight, double radius, double d);

// The same for a level ring of mean radius a whose round section of radius b they fill evenly: (1 - 1/M) W/(pi a d)
// [ln(8 a/b) + 3/4]. Derived here, to leading order in b/a: the flow of a ring of point forces at the small distance s
// from it is W/(2 pi a d) (2 ln(8 a/s) + 2 z²/s²), z the height; over all pairs of positions in the section ln s has
// the mean ln b - 1/4, and z²/s² has 1/2. For a round torus it is too small by 1 % at b/a = 0.3, by 6 % at 3/4.
double ring_fall(double fibers, double weight, double radius, double section, double d);

// ---- break of a ring

// Checks a cloud's core at steps that `stride` divides, so that the result does not depend on how often the run is
// measured. Its state is one number, which saved states contain.
class RingBreak {
 public:
  static constexpr std::int64_t stride = 4;
  // Values of `state` before there is a time; a time is 0 or more.
  static constexpr double unobserved = -3, unknown = -2, whole = -1;

  // Another cloud: its shape is unknown until the next check.
  void begin() { state_ = unobserved; }
  // Whether a check after step `steps` can still change anything.
  bool is_due(std::int64_t steps) const { return steps % stride == 0 && (state_ == unobserved || state_ == whole); }
  // At `time`. A ring that has already parted at the first check broke earlier, at an unknown time.
  void update(const Core& core, double time);
  bool broke() const { return state_ >= 0; }
  double time() const { return state_; }

  double state() const { return state_; }
  void restore(double state) { state_ = state; }

 private:
  double state_ = unobserved;
};

// Whether it is a ring with a hole whose density is zero somewhere around it.
bool ring_has_parted(const Core& core);

// ---- middle
//
// Point that an image of the fibers follows: the middle of those that stay together. Fibers lost in the wake would drag
// the mean of all far behind.

// Whether the fibers at `position`, [fibers][3], are so few that none is a straggler: an image shows all of them.
bool are_few_fibers(const std::vector<double>& position);
// Mean of the fibers at `position` that are nearer than `reach` to the median of all; for few fibers the mean of all.
Vector3<double> fiber_middle(const std::vector<double>& position, double reach);
// The mean velocity of the same fibers; `velocity`: [fibers][3].
Vector3<double> middle_velocity(const std::vector<double>& position, const std::vector<double>& velocity, double reach);

}  // namespace perturb::fibers
