// Vectors in three dimensions, and shapes on a grid.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb {

template <class Real>
struct Vector3 {
  Real x, y, z;
};
template <class Real>
PERTURB_HD inline Real dot(Vector3<Real> a, Vector3<Real> b) {
  return multiply_add(a.x, b.x, multiply_add(a.y, b.y, a.z * b.z));
}
template <class Real>
PERTURB_HD inline Vector3<Real> operator+(Vector3<Real> a, Vector3<Real> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
PERTURB_HD inline Vector3<Real> operator-(Vector3<Real> a, Vector3<Real> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
// a + s b
template <class Real>
PERTURB_HD inline Vector3<Real> add_scaled(Vector3<Real> a, Real s, Vector3<Real> b) {
  return {multiply_add(s, b.x, a.x), multiply_add(s, b.y, a.y), multiply_add(s, b.z, a.z)};
}

// A segment. Positions are in cells, the centre of cell (i, j) at (i + 1/2, j + 1/2).
struct CellSegment {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  // Parameter of the point nearest to (x, y): 0 at the first end, 1 at the second.
  PERTURB_HD float along(float x, float y) const {
    const float dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    const float t = length2 > 0.f ? ((x - x0) * dx + (y - y0) * dy) / length2 : 0.f;
    return t < 0.f ? 0.f : t > 1.f ? 1.f : t;
  }
  // The squared distance from (x, y), or from the centre of a cell. From differences of positions only
  // (core/math/copies.h).
  PERTURB_HD float distance2_of(float x, float y) const {
    const float t = along(x, y), ex = (x - x0) - t * (x1 - x0), ey = (y - y0) - t * (y1 - y0);
    return ex * ex + ey * ey;
  }
  PERTURB_HD float distance2(int i, int j) const {
    return distance2_of(static_cast<float>(i) + 0.5f, static_cast<float>(j) + 0.5f);
  }
};

// The segment's ends are the lower left and upper right corner. The left and lower sides belong to the rectangle.
PERTURB_HD inline bool in_rectangle(const CellSegment& corners, float x, float y) {
  return x >= corners.x0 && x < corners.x1 && y >= corners.y0 && y < corners.y1;
}
// Centred at (x0, y0), with the half axes x1 and y1.
PERTURB_HD inline bool in_ellipse(const CellSegment& axes, float x, float y) {
  const float ex = (x - axes.x0) / axes.x1, ey = (y - axes.y0) / axes.y1;
  return ex * ex + ey * ey <= 1.f;
}

}  // namespace perturb
