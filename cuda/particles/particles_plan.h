// Into how many slices of time the search cuts a step.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/particles/particles_step.h"

namespace perturb {

// Entries of the space-time table are kept to about this many where that leaves a few slices: the memory stays linear in N.
constexpr int usual_entries = 1 << 21;
constexpr int least_most_slices = 4, most_most_slices = 256;

inline int most_slices(int count) {
  int slices = least_most_slices;
  while (slices < most_most_slices && 2LL * slices * count <= usual_entries) slices *= 2;
  return slices;
}

// Cells of all slices together.
inline std::size_t most_cells_of(std::size_t count, int slices) {
  const std::size_t cells = count * static_cast<std::size_t>(slices);
  return 64 * static_cast<std::size_t>(slices) + cells + cells / 4;
}

// The cheapest number of slices (a power of two) by the number of pairs it would test, the entries it would sort and the cells it
// would look into. One slice and one cell is the search of all pairs. Any number gives the same result.
template <class Real>
int choose_slices(double width, double height, double radius, double fastest, int count, bool cuda) {
  // In units of a pair's test, roughly; on a GPU tests by a warp run side by side, but a sort has several launches to itself.
  const double per_entry = cuda ? 6 : 12, per_row = cuda ? 3 : 4;
  double least = 0;
  int best = 1;
  for (int slices = 1; slices <= most_slices(count); slices *= 2) {
    const DiscCells cells = make_cells<Real>(width, height, radius, fastest, slices,
                                             static_cast<int>(most_cells_of(static_cast<std::size_t>(count), slices)));
    const double share = static_cast<double>(std::min(cells.nx, 3)) / cells.nx * std::min(cells.ny, 3) / cells.ny;
    const double each = slices * (per_entry + 3 * per_row + share * count);
    if (slices == 1 || each < least) least = each, best = slices;
  }
  return best;
}

}  // namespace perturb
