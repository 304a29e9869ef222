// The rows of an edited kernel of a CellSimulation. It is compiled while the program runs.
#pragma once

#include "cuda/core/backend/view.h"
#include "cuda/core/simulation/edited_cells.h"

namespace perturb {

template <class Step>
struct EditedGrid : EditedHeader {
  int stride;
  typename Step::Constants constants;
  long long from;       // never written, because the steps may have to be discarded
  long long fields[2];  // the levels write them in turn (EditedHeader::target)
};

template <class Step>
class EditedGridRows {
 public:
  PERTURB_HD EditedGridRows(char* memory, int level) : memory_(memory) {
    const auto& grid = *reinterpret_cast<const EditedGrid<Step>*>(memory);
    const auto field = [&](long long place) {
      return View2D<float>{edited_field<float>(memory, place), grid.width, grid.height, grid.stride};
    };
    to_ = field(grid.fields[grid.target(level)]);
    from_ = level == 0 ? field(grid.from) : field(grid.fields[grid.target(level - 1)]);
    constants_ = grid.constants;
    is_last_ = grid.is_last(level);
  }

  void row(int j) const {
    const Step step{from_, to_, constants_};
    PERTURB_INDEPENDENT_ITERATIONS
    for (int i = 0; i < to_.width; ++i) step(i, j);
    // Infinities and NaN stay, so checking the last level suffices.
    if (is_last_) note_bad_row(memory_, j, [row = to_.row(j)](int i) { return row[i]; });
  }
  PERTURB_HD void checked_cell(int i, int j) const {
    Step{from_, to_, constants_}(i, j);
    if (const float value = to_(i, j); !(value - value == 0.f)) note_bad_cell(memory_, i, j);
  }

 private:
  char* memory_;
  View2D<const float> from_;
  View2D<float> to_;
  typename Step::Constants constants_;
  bool is_last_;
};

}  // namespace perturb
