// Time skewing: CPU threads take several time steps in one pass over memory.
//
// Rows are updated in a skewed order, level 1 on row j, level 2 on row j-1, level 3 on row j-2, ..., so that a row
// stays in the cache from its first level to its last; all levels together access memory once.
//
//   rows ->   band 0            | band 1            | band 2
//   level 3   1 1 1 1 1 1 1 2 2 | 2 2 1 1 1 1 1 2 2 | 2 2 1 1 1 1 1 1 1
//   level 2   1 1 1 1 1 1 1 1 2 | 2 1 1 1 1 1 1 1 2 | 2 1 1 1 1 1 1 1 1
//   level 1   1 1 1 1 1 1 1 1 1 | 1 1 1 1 1 1 1 1 1 | 1 1 1 1 1 1 1 1 1
//
// Each thread first computes the trapezoid (1) of its band of rows, which shrinks by one row per level at the borders
// of the bands; then the triangles (2) at the borders are filled. So threads synchronise twice per pass, not once per
// step.
#pragma once

#include <algorithm>

#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

// Calls `update(row, level)` for every row in [0, height) and every level in [0, steps), each after the rows at most
// `reach` away at the previous level. A level may overwrite the level two before it. `wraps`: row 0 and the last row
// are neighbours. `least_rows`: minimum height of a band, so that waking a thread is worthwhile. The drawing above has
// a reach of 1; with another one rows are skewed, and bands shrink, by `reach` rows per level.
template <class Update>
void for_skewed_rows(CpuThreads& threads, int height, int steps, bool wraps, int least_rows, int reach,
                     const Update& update) {
  // Periodic rows at both ends depend on each other: the seam is a border like the others, unless the grid is too low.
  if (wraps && height < 2 * reach * steps) {
    for (int level = 0; level < steps; ++level)
      for (int j = 0; j < height; ++j) update(j, level);
    return;
  }
  // Thinner bands could not hold their triangles.
  const int bands = std::max(1, std::min(threads.count(), height / std::max(2 * reach * steps, least_rows)));
  const auto border = [&](int b) { return static_cast<int>(static_cast<long long>(height) * b / bands); };

  const auto trapezoids = [&](int first_band, int last_band) {
    for (int b = first_band; b < last_band; ++b) {
      const int begin = border(b), end = border(b + 1);
      const int shrink_below = b > 0 || wraps ? reach : 0, shrink_above = b + 1 < bands || wraps ? reach : 0;
      // Level l has rows [begin + l·shrink_below, end - l·shrink_above); the front passes row `front - l·reach`.
      for (int front = begin; front < end + reach * steps; ++front)
        for (int level = 0; level < steps; ++level) {
          const int j = front - reach * level;
          if (j >= begin + level * shrink_below && j < end - level * shrink_above) update(j, level);
        }
    }
  };
  threads.for_row_blocks(bands, 1, RowBlock(trapezoids));
  if (steps == 1) return;

  const int seams = bands - (wraps ? 0 : 1);
  const auto triangles = [&](int first_seam, int last_seam) {
    for (int s = first_seam; s < last_seam; ++s) {
      const int seam = border(s + 1);  // the last one is the top edge, which joins the bottom in periodic grids
      for (int level = 1; level < steps; ++level)
        for (int j = seam - reach * level; j < seam + reach * level; ++j) update(j < height ? j : j - height, level);
    }
  };
  threads.for_row_blocks(seams, 1, RowBlock(triangles));
}

}  // namespace perturb
