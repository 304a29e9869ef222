// The part of a pointer move that lies in the domain.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "cuda/core/paint/camera.h"

namespace perturb {

inline bool is_in_domain(const Camera::Point& p) { return p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1; }

// The part of a pointer move that lies in the domain. A fast drag that leaves the domain and comes back therefore draws
// no line along its boundary.
struct PointerSegment {
  Camera::Point from, to;
};
inline std::optional<PointerSegment> clip_to_domain(const Camera::Point& from, const Camera::Point& to) {
  // Liang-Barsky clipping: the range of t in which from + t·(to - from) lies between both pairs of sides.
  double first = 0, last = 1;
  const auto between = [&](double start, double step) {
    if (step == 0) return start >= 0 && start <= 1;
    const double a = -start / step, b = (1 - start) / step;
    first = std::fmax(first, std::fmin(a, b));
    last = std::fmin(last, std::fmax(a, b));
    return true;
  };
  const double dx = to.x - from.x, dy = to.y - from.y;
  if (!between(from.x, dx) || !between(from.y, dy) || first > last) return std::nullopt;
  const auto inside = [](double value) { return std::fmin(1.0, std::fmax(0.0, value)); };  // rounding may leave [0, 1]
  const auto at = [&](double t) { return Camera::Point{inside(from.x + t * dx), inside(from.y + t * dy)}; };
  return PointerSegment{first > 0 ? at(first) : from, last < 1 ? at(last) : to};
}

// How far a handle at `start` moves along an axis if the pointer moves by `distance`, in fractions of the domain: to a
// position within the domain, or no farther outside than the start.
inline double drag_distance(double start, double distance) {
  return std::clamp(start + distance, std::min(0.0, start), std::max(1.0, start)) - start;
}

}  // namespace perturb
