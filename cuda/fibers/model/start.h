// Fibers at the start: their half-lengths and their placement. Fibers of unequal length all have one radius, and a
// weight in proportion to their length.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Half-lengths of `count` fibers whose mean is 1, in the order of their ids: even shares of the distribution that the
// parameters select, shuffled. None if the parameters have no spread: then all are 1. `stream` distinguishes draws with
// the same seed.
std::vector<double> draw_fiber_lengths(const Parameters& parameters, int count, std::uint32_t seed,
                                       std::uint64_t stream);

// The shortest half-length that such a draw can give.
double shortest_fiber_drawn(const Parameters& parameters);
// Throws InputError if a fiber of this half-length is too thick for the number of terms. `what` begins the message and
// names the fiber; `remedy` ends it.
void require_slender(const Parameters& parameters, double half, const Message& what, const Message& remedy);

// Half-lengths of a run's fibers, and the constants that the equations need. Empty if all are 1: then the code without
// lengths is used.
class Lengths {
 public:
  Lengths() = default;
  // `half`: of each fiber, or none. Throws Error when memory is short.
  Lengths(Backend& backend, std::vector<double> half);

  bool unequal() const { return !half_.empty(); }
  const std::vector<double>& host() const { return half_; }
  double of(int m) const { return half_.empty() ? 1 : half_[static_cast<std::size_t>(m)]; }
  double shortest() const;
  double longest() const;
  // On the backend, [fibers]; null if all are 1.
  const double* device() const { return half_.empty() ? nullptr : device_.data(); }
  // For each fiber, on the backend; null if all are 1. Recomputed when a parameter has changed.
  const FiberConstants* constants(double slenderness, int terms);

  static std::size_t bytes(int fibers) {
    return static_cast<std::size_t>(fibers) * (sizeof(double) + sizeof(FiberConstants));
  }

 private:
  std::vector<double> half_;
  Array<double> device_;
  Array<FiberConstants> constants_;
  double slenderness_ = 0;  // of the stored constants; 0: none yet
  int terms_ = 0;
};

// ---- placement, and the closest points of two fibers

// Centres and unit tangents, [count][3] each.
struct Placement {
  std::vector<double> position = {}, tangent = {};
  std::vector<double> half_length = {};  // [count]; none: all are 1
  int count() const { return static_cast<int>(position.size() / 3); }
  double half_of(int m) const { return half_length.empty() ? 1 : half_length[static_cast<std::size_t>(m)]; }
  void add(Vector3<double> x, Vector3<double> t, double half = 1) {
    if (half != 1 && half_length.empty()) half_length.assign(static_cast<std::size_t>(count()), 1.0);
    if (!half_length.empty() || half != 1) half_length.push_back(half);
    position.insert(position.end(), {x.x, x.y, x.z});
    tangent.insert(tangent.end(), {t.x, t.y, t.z});
  }
};

// Nearest points of the axes of two fibers: positions along them, from their centres, and their distance.
struct Nearest {
  double first, second, distance;
};

// `separation` = centre 1 - centre 2. Ericson, "Real-Time Collision Detection" (2005), 5.1.9, for segments of half
// lengths `half1` and `half2`.
PERTURB_HD inline Nearest fiber_nearest(Vector3<double> separation, Vector3<double> t1, Vector3<double> t2,
                                        double half1 = 1, double half2 = 1) {
  const auto clamp = [](double v, double half) { return v < -half ? -half : v > half ? half : v; };
  const auto length2 = [&](double s, double u) {
    const Vector3<double> d = add_scaled(add_scaled(separation, s, t1), -u, t2);
    return dot(d, d);
  };
  const double b = dot(t1, t2), d1 = dot(t1, separation), d2 = dot(t2, separation), denominator = 1 - b * b;
  double s = denominator > 1e-12 ? clamp((b * d2 - d1) / denominator, half1) : 0;
  double u = clamp(b * s + d2, half2);
  s = clamp(b * u - d1, half1);
  u = clamp(b * s + d2, half2);
  Nearest nearest{s, u, length2(s, u)};
  const auto take = [&](double first, double second) {
    const double other = length2(first, second);
    if (other < nearest.distance) nearest = {first, second, other};
  };
  for (int side = -1; side <= 1; side += 2) {  // near-parallel axes: an end against the other axis
    const double end1 = side * half1, end2 = side * half2;
    take(end1, clamp(b * end1 + d2, half2));
    take(clamp(b * end2 - d1, half1), end2);
  }
  nearest.distance = ::sqrt(nearest.distance);
  return nearest;
}

// The least distance between the axes.
PERTURB_HD inline double fiber_distance(Vector3<double> separation, Vector3<double> t1, Vector3<double> t2,
                                        double half1 = 1, double half2 = 1) {
  return fiber_nearest(separation, t1, t2, half1, half2).distance;
}

// Unit vectors and positions from counter-based random numbers.
Vector3<double> random_direction(std::uint32_t seed, std::uint64_t stream, std::uint64_t counter);

// Adds `count` fibers with centres uniform in a ball and directions isotropic; one that would be closer than
// `min_distance` to another is drawn again. `stream` distinguishes draws with the same seed. `half_lengths`: theirs in
// this order; none: all are 1. Throws InputError if they do not fit.
void add_fiber_ball(Placement& placement, int count, Vector3<double> center, double radius, double min_distance,
                    std::uint32_t seed, std::uint64_t stream, std::span<const double> half_lengths = {});

// The start that the parameters describe.
Placement make_fiber_start(const Parameters& parameters, int count, std::uint32_t seed);
// Half the height of an image that shows the start, with a margin for motion.
double view_of_start(const Parameters& parameters, int count);

}  // namespace perturb::fibers
