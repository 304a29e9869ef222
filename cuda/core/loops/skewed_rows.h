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

// The division of the rows [0, height) into bands, one for each thread that takes part. The drawing above has a reach
// of 1; with another one rows are skewed, and bands shrink, by `reach` rows per level. `wraps`: row 0 and the last row
// are neighbours.
struct SkewedRows {
  int height, steps, reach;
  bool wraps;
  int bands;
  bool level_by_level;  // one thread computes one level after the other

  // The first row of a band.
  int border(int band) const { return static_cast<int>(static_cast<long long>(height) * band / bands); }
  // Borders with triangles. In periodic grids the last one is the top edge, which joins the bottom.
  int seams() const { return steps == 1 || level_by_level ? 0 : bands - (wraps ? 0 : 1); }
  // Rows on either side of a seam whose last level is in a triangle.
  int seam_rows() const { return seams() > 0 ? reach * (steps - 1) : 0; }
};

// `min_rows`: minimum height of a band, so that waking a thread is worthwhile.
inline SkewedRows skewed_rows(int threads, int height, int steps, bool wraps, int min_rows, int reach) {
  // Periodic rows at both ends depend on each other: the seam is a border like the others, unless the grid is too low.
  if (wraps && height < 2 * reach * steps) return {height, steps, reach, wraps, 1, true};
  // Thinner bands could not hold their triangles.
  return {height, steps, reach, wraps, std::max(1, std::min(threads, height / std::max(2 * reach * steps, min_rows))),
          false};
}

// Calls `update(row, level)` for every row in [0, height) and every level in [0, steps), each after the rows at most
// `reach` away at the previous level. A level may overwrite the level two before it.
template <class Update>
void for_skewed_rows(CpuThreads& threads, const SkewedRows& rows, const Update& update) {
  const int height = rows.height, steps = rows.steps, reach = rows.reach;
  if (rows.level_by_level) {
    for (int level = 0; level < steps; ++level)
      for (int j = 0; j < height; ++j) update(j, level);
    return;
  }
  const auto trapezoids = [&](int first_band, int last_band) {
    for (int b = first_band; b < last_band; ++b) {
      const int begin = rows.border(b), end = rows.border(b + 1);
      const int shrink_below = b > 0 || rows.wraps ? reach : 0;
      const int shrink_above = b + 1 < rows.bands || rows.wraps ? reach : 0;
      // Level l has rows [begin + l·shrink_below, end - l·shrink_above); the front passes row `front - l·reach`.
      for (int front = begin; front < end + reach * steps; ++front)
        for (int level = 0; level < steps; ++level) {
          const int j = front - reach * level;
          if (j >= begin + level * shrink_below && j < end - level * shrink_above) update(j, level);
        }
    }
  };
  threads.for_row_blocks(rows.bands, 1, RowBlock(trapezoids));
  if (steps == 1) return;

  const auto triangles = [&](int first_seam, int last_seam) {
    for (int s = first_seam; s < last_seam; ++s) {
      const int seam = rows.border(s + 1);
      for (int level = 1; level < steps; ++level)
        for (int j = seam - reach * level; j < seam + reach * level; ++j) update(j < height ? j : j - height, level);
    }
  };
  threads.for_row_blocks(rows.seams(), 1, RowBlock(triangles));
}
template <class Update>
void for_skewed_rows(CpuThreads& threads, int height, int steps, bool wraps, int min_rows, int reach,
                     const Update& update) {
  for_skewed_rows(threads, skewed_rows(threads.count(), height, steps, wraps, min_rows, reach), update);
}

}  // namespace perturb
