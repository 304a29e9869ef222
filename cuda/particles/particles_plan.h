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

// How neighbours are found.
struct SearchPlan {
  int slices = 1;
  bool by_tiles = false;  // all pairs on tensor cores (particles_tiles.h) instead of cells
  bool operator==(const SearchPlan&) const = default;
};

// The cheapest way by the number of pairs it would test, the entries it would sort and the cells it would look into. One slice and
// one cell is the search of all pairs. Any way gives the same result. Measured on an H200 and on two cores of a Xeon.
template <class Real>
SearchPlan choose_plan(double width, double height, double radius, double fastest, int count, bool cuda, bool tiles) {
  // In units of a pair's test, roughly; on a GPU tests by a warp run side by side, but a sort has several launches to itself.
  const double per_entry = cuda ? 6 : 12, per_row = cuda ? 3 : 4;
  double least = 0;
  SearchPlan best;
  for (int slices = 1; slices <= most_slices(count); slices *= 2) {
    const DiscCells cells = make_cells<Real>(width, height, radius, fastest, slices,
                                             static_cast<int>(most_cells_of(static_cast<std::size_t>(count), slices)));
    const double share = static_cast<double>(std::min(cells.nx, 3)) / cells.nx * std::min(cells.ny, 3) / cells.ny;
    const double each = slices * (per_entry + 3 * per_row + share * count);
    if (slices == 1 || each < least) least = each, best.slices = slices;
  }
  if (!tiles) return best;
  // Of all pairs, those whose lines of motion pass within reach are tested one by one.
  const double extent = std::max(width, height), reach = 2 * radius + search_margin<Real>(radius, fastest, extent);
  const double passing = std::min(1.0, 4.5 * reach / std::min(width, height));
  constexpr double per_pair = 0.004, per_passing = 0.5, per_launch = 6e4, launches_more = 7;
  const double by_tiles = 0.5 * count * (per_pair + passing * per_passing);
  if (by_tiles < least + launches_more * per_launch / count) best = {1, true};
  return best;
}

}  // namespace perturb
