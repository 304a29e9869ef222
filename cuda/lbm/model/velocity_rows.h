// Reads density and velocity on the CPU: rows of cells, each computed once, in vectors, for all users of the values.
// (GPU threads recompute the values, which is cheaper for them than sharing.)
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cuda/core/paint/sampling.h"
#include "cuda/lbm/model/edit.h"

namespace perturb::lbm {

// Index for reads beyond a side: wrapped to the other side, or clamped to the last cell.
struct Beyond {
  bool wrap_x = false, wrap_y = false;
};

// Rows of the columns [begin, end), bit-identical to Velocity. For callers that process the
// rows in order: the last few are kept. For one thread.
template <class T>
class VelocityRows {
 public:
  VelocityRows(const Velocity<T>& velocity, Beyond beyond, int begin, int end)
      : velocity_(velocity), beyond_(beyond), begin_(begin), count_(static_cast<std::size_t>(end - begin)) {}

  // At column i: [i - begin]; also valid for one cell beyond either end.
  struct Row {
    const float *drho, *ux, *uy;
    PERTURB_HD Moments at(int k) const { return {drho[k], ux[k], uy[k]}; }
  };
  // Row j, from -1 to the height of the flow, so also beyond a side. Valid until four others have been requested.
  Row row(int j) {
    Kept& kept = kept_[static_cast<std::size_t>((j + 1) % rows_kept)];
    if (kept.of != j) {
      kept.of = j;
      read(j, kept);
    }
    return {kept.drho.data() + 1, kept.ux.data() + 1, kept.uy.data() + 1};
  }

 private:
  static constexpr int rows_kept = 4, none = -2;
  struct Kept {
    int of = none;
    std::vector<float> drho, ux, uy;
  };

  void read(int beyond_j, Kept& kept) const {
    for (std::vector<float>* part : {&kept.drho, &kept.ux, &kept.uy}) part->resize(count_ + 2);
    const int width = velocity_.g.width, height = velocity_.g.height;
    const int j = beyond_.wrap_y ? wrap(beyond_j, height) : clamp_index(beyond_j, height);
    const T* g[lbm_links];
    for (int q = 0; q < lbm_links; ++q) g[q] = velocity_.g.row(q, j) + begin_;
    const float share_x = -velocity_.half_force_x, share_y = -velocity_.half_force_y;
    float *drho = kept.drho.data() + 1, *ux = kept.ux.data() + 1, *uy = kept.uy.data() + 1;
    for (std::size_t k = 0; k < count_; ++k) {
      float cell[lbm_links];
      for (int q = 0; q < lbm_links; ++q) cell[q] = lbm_read(g[q][k]);
      const Moments m = moments(cell, share_x, share_y);
      drho[k] = m.drho;
      ux[k] = m.ux;
      uy[k] = m.uy;
    }
    if (!velocity_.walls.empty()) {
      const std::uint8_t* boundary_links = velocity_.walls.boundary_links.row(j) + begin_;
      for (std::size_t k = 0; k < count_; ++k)
        if (boundary_links[k] == all_links) drho[k] = ux[k] = uy[k] = 0.f;
    }
    const int ends[] = {begin_ - 1, begin_ + static_cast<int>(count_)};
    for (const int i : ends) {
      const Moments m = velocity_(beyond_.wrap_x ? wrap(i, width) : clamp_index(i, width), j);
      const auto k = static_cast<std::size_t>(i - begin_ + 1);
      kept.drho[k] = m.drho;
      kept.ux[k] = m.ux;
      kept.uy[k] = m.uy;
    }
  }

  Velocity<T> velocity_;
  Beyond beyond_;
  int begin_;
  std::size_t count_;
  std::array<Kept, rows_kept> kept_;
};

}  // namespace perturb::lbm
