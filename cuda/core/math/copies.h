// Shapes on a grid whose sides repeat.
//
// A shape is bit-identical wherever it is on the grid: its positions are multiples of a power of two
// (exact_cells, core/simulation/cells.h), so that the difference of one and the centre of a cell is exact, and what it
// holds depends on such differences only.
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/geometry.h"

namespace perturb {

// Copies of a shape on a grid whose sides repeat, `width` and `height` cells apart. The range of copies that reach the
// grid: 0 is the shape itself.
struct Copies {
  int width = 0, height = 0;
  int left = 0, right = 0, low = 0, high = 0;  // the first and last copy along x and along y

  // Calls test(i, j) with the cell as each copy sees it, until one returns true. Returns whether one did.
  template <class Test>
  PERTURB_HD bool any(int i, int j, const Test& test) const {
    for (int b = low; b <= high; ++b)
      for (int a = left; a <= right; ++a)
        if (test(i - a * width, j - b * height)) return true;
    return false;
  }
  bool along_x() const { return left != 0 || right != 0; }
  bool along_y() const { return low != 0 || high != 0; }
  // The squared distance of the nearest copy of a segment from a cell.
  PERTURB_HD float distance2(const CellSegment& segment, int i, int j) const {
    float nearest = segment.distance2(i - left * width, j - low * height);
    any(i, j, [&](int a, int b) {
      const float distance = segment.distance2(a, b);
      if (distance < nearest) nearest = distance;
      return false;
    });
    return nearest;
  }
};

}  // namespace perturb
