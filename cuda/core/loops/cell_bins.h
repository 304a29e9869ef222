// Items sorted by cell, by counting sort: the items of cell c are entries[starts[c]] ... entries[starts[c + 1] - 1].
//
//   struct CellOf { ...; PERTURB_HD int operator()(int item) const; };      // a cell, or -1: left out
//   CellBins bins(backend, max_items, max_cells, "discs by cell");
//   bins.build("particles.sort", items, CellOf{...});
//   bins.starts(), bins.entries()
//
// The order of items within a cell is undefined (threads compete for positions): results must not depend on it. For
// files under cuda/ only, like reduce.h.
#pragma once

#include <cstddef>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/scan.h"

namespace perturb {

namespace detail {

template <class CellOf>
struct BinCount {
  CellOf cell_of;
  int* counts;
  int* cells;
  int* ranks;
  PERTURB_HD void operator()(int k) const {
    const int cell = cell_of(k);
    cells[k] = cell;
    if (cell >= 0) ranks[k] = atomic_add(counts[cell], 1);
  }
};

struct SlotUnused {
  PERTURB_HD void operator()(int, int) const {}
};

template <class Placed>
struct BinScatter {
  const int* starts;
  const int* cells;
  const int* ranks;
  int* entries;
  Placed placed;
  PERTURB_HD void operator()(int k) const {
    if (cells[k] < 0) return;
    const int place = starts[cells[k]] + ranks[k];
    entries[place] = k;
    placed(k, place);
  }
};

}  // namespace detail

class CellBins {
 public:
  CellBins() = default;
  CellBins(Backend& backend, std::size_t max_items, std::size_t max_cells, const char* label)
      : backend_(&backend),
        cells_(backend, max_items, label),
        ranks_(backend, max_items, label),
        entries_(backend, max_items, label),
        starts_(backend, max_cells + 1, label),
        cells_in_use_(max_cells),
        scan_(backend, max_cells + 1) {}
  static std::size_t bytes_of(std::size_t max_items, std::size_t max_cells) {
    return (3 * max_items + max_cells + 1) * sizeof(int);
  }

  std::size_t max_items() const { return entries_.size(); }
  std::size_t max_cells() const { return starts_.empty() ? 0 : cells_in_use_; }
  // Uses `cells` cells from now on, at most max_cells of the constructor: only these are cleared and summed.
  void use_cells(std::size_t cells) {
    PERTURB_ASSERT(cells < starts_.size());
    cells_in_use_ = cells;
  }
  View1D<const int> starts() const { return starts_.view(); }
  View1D<const int> entries() const { return entries_.view(); }
  // For sorting the items within each cell.
  View1D<int> entries() { return entries_.view(); }

  // `cell_of` must return cells below max_cells(). `placed(item, place)` receives the position of each item in
  // entries(), for example to copy the item there.
  template <class CellOf, class Placed = detail::SlotUnused>
  void build(const char* label, int items, const CellOf& cell_of, const Placed& placed = {}) {
    const std::size_t starts = cells_in_use_ + 1;
    backend_->fill_zero(starts_.data(), starts * sizeof(int));
    parallel_for(*backend_, label, Range1D{items},
                 detail::BinCount<CellOf>{cell_of, starts_.data(), cells_.data(), ranks_.data()});
    scan_.run(*backend_, label, starts_.data(), starts_.data(), starts);
    parallel_for(*backend_, label, Range1D{items},
                 detail::BinScatter<Placed>{starts_.data(), cells_.data(), ranks_.data(), entries_.data(), placed});
  }

 private:
  Backend* backend_ = nullptr;
  Array<int> cells_, ranks_, entries_, starts_;
  std::size_t cells_in_use_ = 0;
  ExclusiveScan scan_;
};

}  // namespace perturb
