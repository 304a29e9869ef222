// How fibers lie at the start, and where two of them are closest.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/fibers/fibers_cell.h"
#include "cuda/fibers/fibers_params.h"

namespace perturb {

// Centres and unit tangents, [count][3] each.
struct FiberPlacement {
  std::vector<double> position, tangent;
  int count() const { return static_cast<int>(position.size() / 3); }
  void add(Vector3<double> x, Vector3<double> t) {
    position.insert(position.end(), {x.x, x.y, x.z});
    tangent.insert(tangent.end(), {t.x, t.y, t.z});
  }
};

// Where the axes of two fibers are nearest: places along them from -1 to 1, and their distance.
struct FiberNearest {
  double first, second, distance;
};

// `separation` = centre 1 - centre 2. Ericson, "Real-Time Collision Detection" (2005), 5.1.9, for segments of half
// length 1.
PERTURB_HD inline FiberNearest fiber_nearest(Vector3<double> separation, Vector3<double> t1, Vector3<double> t2) {
  const auto clamp = [](double v) { return v < -1 ? -1.0 : v > 1 ? 1.0 : v; };
  const auto length2 = [&](double s, double u) {
    const Vector3<double> d = add_scaled(add_scaled(separation, s, t1), -u, t2);
    return dot(d, d);
  };
  const double b = dot(t1, t2), d1 = dot(t1, separation), d2 = dot(t2, separation), denominator = 1 - b * b;
  double s = denominator > 1e-12 ? clamp((b * d2 - d1) / denominator) : 0;
  double u = clamp(b * s + d2);
  s = clamp(b * u - d1), u = clamp(b * s + d2);
  FiberNearest nearest{s, u, length2(s, u)};
  const auto take = [&](double first, double second) {
    const double other = length2(first, second);
    if (other < nearest.distance) nearest = {first, second, other};
  };
  for (int side = -1; side <= 1; side += 2) {  // near-parallel axes: an end against the other axis
    const double end = side;
    take(end, clamp(b * end + d2)), take(clamp(b * end - d1), end);
  }
  nearest.distance = ::sqrt(nearest.distance);
  return nearest;
}

// The least distance between the axes.
PERTURB_HD inline double fiber_distance(Vector3<double> separation, Vector3<double> t1, Vector3<double> t2) {
  return fiber_nearest(separation, t1, t2).distance;
}

// Unit vectors and places from counter-based random numbers.
Vector3<double> random_direction(std::uint32_t seed, std::uint64_t stream, std::uint64_t counter);

// Adds `count` fibers with centres uniform in a ball and directions isotropic; one that would come closer
// than `min_distance` to another is drawn again. `stream` tells draws with the same seed apart. Throws
// InputError when there is no room.
void add_fiber_ball(FiberPlacement& placement, int count, Vector3<double> center, double radius, double min_distance,
                    std::uint32_t seed, std::uint64_t stream);

// The start that the parameters describe.
FiberPlacement make_fiber_start(const FiberParameters& parameters, int count, std::uint32_t seed);
// Half the height of a picture that shows it, with room to move.
double fiber_view_of_start(const FiberParameters& parameters, int count);

}  // namespace perturb
