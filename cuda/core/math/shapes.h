// Segments, rectangles and ellipses on a grid. Positions are in cells, the centre of cell (i, j) at (i + 1/2, j + 1/2).
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb {

struct CellSegment {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  // How far along it the point nearest to (x, y) lies: 0 at its first end, 1 at its second.
  PERTURB_HD float along(float x, float y) const {
    const float dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    const float t = length2 > 0.f ? ((x - x0) * dx + (y - y0) * dy) / length2 : 0.f;
    return t < 0.f ? 0.f : t > 1.f ? 1.f : t;
  }
  // The squared distance of (x, y), or of a cell's centre.
  PERTURB_HD float distance2_of(float x, float y) const {
    const float t = along(x, y), ex = x - (x0 + t * (x1 - x0)), ey = y - (y0 + t * (y1 - y0));
    return ex * ex + ey * ey;
  }
  PERTURB_HD float distance2(int i, int j) const {
    return distance2_of(static_cast<float>(i) + 0.5f, static_cast<float>(j) + 0.5f);
  }
};

// With its lower left and upper right corner at the segment's ends; its own are the sides to the left and below.
PERTURB_HD inline bool in_rectangle(const CellSegment& corners, float x, float y) {
  return x >= corners.x0 && x < corners.x1 && y >= corners.y0 && y < corners.y1;
}
// About (x0, y0), with the half axes x1 and y1.
PERTURB_HD inline bool in_ellipse(const CellSegment& axes, float x, float y) {
  const float ex = (x - axes.x0) / axes.x1, ey = (y - axes.y0) / axes.y1;
  return ex * ex + ey * ey <= 1.f;
}

}  // namespace perturb
