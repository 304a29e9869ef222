// Reads a shown quantity on the CPU: rows of cells, each computed once for all pixels that sample it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cuda/lbm/view/shown.h"
#include "cuda/lbm/view/velocity_rows.h"

namespace perturb::lbm {

// Callable with (i, j) like ShownCell, for the columns [begin, end); bit-identical to it. For callers
// that process the rows in order: the last few are kept. For one thread.
template <class T>
class ShownRows {
 public:
  ShownRows(const ShownCell<T>& cell, int begin, int end)
      : cell_(cell),
        velocities_(cell.velocity, {cell.wrap_x, cell.wrap_y}, begin, end),
        begin_(begin),
        count_(end - begin) {}

  float operator()(int i, int j) const {
    Row& row = rows_[static_cast<std::size_t>(j % rows_kept)];
    if (row.of != j) row.of = j, row.value.resize(static_cast<std::size_t>(count_)), compute(j, row.value.data());
    return row.value[static_cast<std::size_t>(i - begin_)];
  }

 private:
  static constexpr int rows_kept = 4, none = -1;
  struct Row {
    int of = none;
    std::vector<float> value;
  };

  void compute(int j, float* out) const {
    if (cell_.shown == Shown::dye) {
      const float* dye = cell_.dye.empty() ? nullptr : cell_.dye.row(j) + begin_;
      for (int k = 0; k < count_; ++k) out[k] = dye ? dye[k] : 0.f;
      return;
    }
    const auto here = velocities_.row(j);
    switch (cell_.shown) {
      case Shown::vorticity: {
        const float *below = velocities_.row(j - 1).ux, *above = velocities_.row(j + 1).ux;
        const float *left = here.uy - 1, *right = here.uy + 1;
        for (int k = 0; k < count_; ++k) out[k] = 0.5f * ((right[k] - left[k]) - (above[k] - below[k]));
        const Walls& walls = cell_.velocity.walls;
        for (int k = 0; !walls.empty() && k < count_; ++k)
          if (walls.at(begin_ + k, j)) out[k] = 0.f;
        return;
      }
      case Shown::density:
        for (int k = 0; k < count_; ++k) out[k] = 1.f + here.drho[k];
        return;
      case Shown::velocity_x:
        for (int k = 0; k < count_; ++k) out[k] = here.ux[k];
        return;
      case Shown::velocity_y:
        for (int k = 0; k < count_; ++k) out[k] = here.uy[k];
        return;
      default:
        for (int k = 0; k < count_; ++k) out[k] = std::sqrt(here.ux[k] * here.ux[k] + here.uy[k] * here.uy[k]);
    }
  }

  ShownCell<T> cell_;
  mutable VelocityRows<T> velocities_;
  int begin_, count_;
  mutable std::array<Row, rows_kept> rows_;
};

}  // namespace perturb::lbm
