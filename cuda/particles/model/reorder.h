// Order of the discs in memory, by their cells. For files under cuda/ only, like reduce.h.
#pragma once

#include <cstdint>

#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/model/storage.h"

namespace perturb::particles {

// Sorts discs by their cells, so that neighbours in the box are neighbours in memory. Within a cell by id, so that the
// order (and with it every sum over discs) does not depend on which thread came first.
struct OrderCell {
  const int* starts;
  int* entries;
  const int* ids;
  PERTURB_HD void operator()(int cell) const {
    const int from = starts[cell], to = starts[cell + 1];
    for (int e = from + 1; e < to; ++e) {
      const int moved = entries[e], id = ids[moved];
      int at = e;
      for (; at > from && ids[entries[at - 1]] > id; --at) entries[at] = entries[at - 1];
      entries[at] = moved;
    }
  }
};
template <class Real>
struct ReorderDiscs {
  const int* entries;
  const Disc<Real>* discs;
  const int* ids;
  const std::uint32_t* wall_collisions;
  const std::uint32_t* disc_collisions;
  Disc<Real>* to_discs;
  int* to_ids;
  std::uint32_t* to_wall_collisions;
  std::uint32_t* to_disc_collisions;
  PERTURB_HD void operator()(int k) const {
    const int from = entries[k];
    to_discs[k] = discs[from], to_ids[k] = ids[from];
    to_wall_collisions[k] = wall_collisions[from], to_disc_collisions[k] = disc_collisions[from];
  }
};

// Sorts discs into the cells of `control`, and stores them in the order of their cells (by id within a cell). All discs
// must be equal and fit in the cells. Scratch of the step is overwritten.
template <class Real>
void reorder_discs(Backend& backend, DiscStorage<Real>& discs, DiscGrid<Real>& grid, CellBins& bins,
                   const StepControl* control) {
  bins.build("particles.sort", grid.count, CellOfEntry<Real>{grid, control});
  const std::size_t bytes = static_cast<std::size_t>(grid.count) * sizeof(int);
  parallel_for(backend, "particles.reorder", Range1D{static_cast<int>(bins.most_cells())},
               OrderCell{bins.starts().data, bins.entries().data, discs.ids.data()});
  parallel_for(backend, "particles.reorder", Range1D{grid.count},
               ReorderDiscs<Real>{bins.entries().data, discs.discs.data(), discs.ids.data(),
                                  discs.wall_collisions.data(), discs.disc_collisions.data(), discs.next.data(),
                                  discs.list.data(), reinterpret_cast<std::uint32_t*>(discs.other_list.data()),
                                  reinterpret_cast<std::uint32_t*>(discs.claims.data())});
  discs.discs.swap(discs.next);
  grid.discs = discs.discs.data();
  backend.copy_within(discs.ids.data(), discs.list.data(), bytes);
  backend.copy_within(discs.wall_collisions.data(), discs.other_list.data(), bytes);
  backend.copy_within(discs.disc_collisions.data(), discs.claims.data(), bytes);
}

}  // namespace perturb::particles
