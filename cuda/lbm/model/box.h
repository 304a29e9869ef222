// A box of cells that an edit covers.
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/core/loops/range.h"
#include "cuda/lbm/model/edit.h"

namespace perturb::lbm {

struct Box {
  int i = 0, j = 0;  // its lower left cell
  Range2D size;

  bool empty() const { return size.width <= 0 || size.height <= 0; }
};

// A box that contains all cells of the width x height grid within `reach` (cells) of a stroke.
inline Box box_around(const CellSegment& s, float reach, int width, int height) {
  const auto index = [](float at, int count) {
    return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(count)));
  };
  const int i0 = index(std::min(s.x0, s.x1) - reach, width), i1 = index(std::max(s.x0, s.x1) + reach + 1, width);
  const int j0 = index(std::min(s.y0, s.y1) - reach, height), j1 = index(std::max(s.y0, s.y1) + reach + 1, height);
  return {i0, j0, {i1 - i0, j1 - j0}};
}

}  // namespace perturb::lbm
