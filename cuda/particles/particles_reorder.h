// Discs in memory as they lie in the box. For files under cuda/ only, like reduce.h.
#pragma once

#include <cstdint>

#include "cuda/core/cell_bins.h"
#include "cuda/particles/particles_step.h"
#include "cuda/particles/particles_storage.h"

namespace perturb {

// Sorts discs into the cells of `control`, and stores them in the order of their cells (by id within a cell). No disc
// may be too large for the cells, nor of a kind of its own. Scratch of the step is overwritten.
template <class Real>
void reorder_discs(Backend& backend, DiscStorage<Real>& discs, DiscWorld<Real>& world, CellBins& bins,
                   const StepControl* control) {
  bins.build("particles.sort", world.count, CellOfEntry<Real>{world, control});
  const std::size_t bytes = static_cast<std::size_t>(world.count) * sizeof(int);
  parallel_for(backend, "particles.reorder", Range1D{static_cast<int>(bins.most_cells())},
               OrderCell{bins.starts().data, bins.entries().data, discs.ids.data()});
  parallel_for(backend, "particles.reorder", Range1D{world.count},
               ReorderDiscs<Real>{bins.entries().data, discs.discs.data(), discs.ids.data(),
                                  discs.wall_collisions.data(), discs.disc_collisions.data(), discs.next.data(),
                                  discs.list.data(), reinterpret_cast<std::uint32_t*>(discs.other_list.data()),
                                  reinterpret_cast<std::uint32_t*>(discs.claims.data())});
  discs.discs.swap(discs.next);
  world.discs = discs.discs.data();
  backend.copy_within(discs.ids.data(), discs.list.data(), bytes);
  backend.copy_within(discs.wall_collisions.data(), discs.other_list.data(), bytes);
  backend.copy_within(discs.disc_collisions.data(), discs.claims.data(), bytes);
}

}  // namespace perturb
