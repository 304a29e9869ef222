// Steps of a tank whose cell function a user edits: this file is compiled while the program runs, with the user's text
// in place of model/cell.h. It therefore includes only small headers, and gets the tank as one piece of memory.
#pragma once

#include "cuda/core/math/geometry.h"
#include "cuda/core/simulation/edited_cells.h"
#include "cuda/wave/kernels/row_cell.h"
#include "cuda/wave/model/cell.h"
#include "cuda/wave/model/sides.h"

namespace perturb::wave {

constexpr int max_edited_sources = 8, max_edited_levels = 12;

// HardSource (model/step_params.h) at one level.
struct EditedSource {
  CellSegment segment;
  float radius;
  double height;
};

// Meaning of the members: StepParams.
struct EditedTank : EditedHeader {
  int stride;
  Boundary left, right, bottom, top;
  double courant2, inertia;
  long long u, u_previous;               // never written, because the steps may have to be discarded
  long long fields[2];                   // the levels write them in turn (EditedHeader::target)
  long long medium, sponge_x, sponge_y;  // 0: none
  long long zeros;                       // a row of them, on the CPU
  int sources;
  EditedSource hard_sources[max_edited_sources][max_edited_levels];
};

// With the built-in text, all cells are bit-identical to wave_cell.
template <class Real, bool nine>
class EditedRows {
 public:
  PERTURB_HD EditedRows(char* memory, int level)
      : memory_(memory), tank_(*reinterpret_cast<const EditedTank*>(memory)), level_(level) {}

  // Updates one row.
  void row(int j) const {
    const int last = tank_.width - 1;
    if (last < 2 || (j == 0 && tank_.bottom == Boundary::absorbing) ||
        (j == tank_.height - 1 && tank_.top == Boundary::absorbing)) {
      for (int i = 0; i <= last; ++i) cell(i, j);
    } else {
      const bool has_medium = tank_.medium != 0, has_sponge = tank_.sponge_x != 0;
      if (has_medium)
        has_sponge ? whole_row<true, true>(j) : whole_row<true, false>(j);
      else
        has_sponge ? whole_row<false, true>(j) : whole_row<false, false>(j);
      for (int s = tank_.sources - 1; s >= 0; --s) overwrite_in(tank_.hard_sources[s][level_], j);
    }
    // Infinities and NaN stay, so checking the last level suffices.
    if (tank_.is_last(level_)) note_bad_row(memory_, j, [row = to(j)](int i) { return row[i]; });
  }

  // Updates one cell anywhere in the tank.
  PERTURB_HD void cell(int i, int j) const {
    const Real before = previous(j)[i];
    Real& value = to(j)[i];
    if (const EditedSource* source = source_at(i, j)) {
      value = static_cast<Real>(source->height);
      return;
    }
    Real courant2 = static_cast<Real>(tank_.courant2), inertia = static_cast<Real>(tank_.inertia);
    if (tank_.medium != 0) {
      const Real medium = at(tank_.medium, j)[i];
      if (is_wall(medium)) {
        value = Real(0);
        return;
      }
      courant2 = wave_courant2(medium, courant2);
    }
    Real weight = courant2;
    if (tank_.sponge_x != 0) {
      const Real sponge = at(tank_.sponge_x, 0)[i] * at(tank_.sponge_y, 0)[j];
      weight *= sponge;
      inertia *= sponge;
    }
    const int last_i = tank_.width - 1, last_j = tank_.height - 1;
    const Real own = height_at(i, j);
    Real laplacian =
        wave_laplacian(own, height_at(i - 1, j), height_at(i + 1, j), height_at(i, j - 1), height_at(i, j + 1));
    if (nine)
      laplacian = laplacian_nine(laplacian, own,
                                 wave_corners(height_at(i - 1, j - 1), height_at(i + 1, j - 1), height_at(i - 1, j + 1),
                                              height_at(i + 1, j + 1)));
    const Real update = wave_advance(own, before, laplacian, weight, inertia);
    const int sides =
        (i == 0 && tank_.left == Boundary::absorbing) + (i == last_i && tank_.right == Boundary::absorbing) +
        (j == 0 && tank_.bottom == Boundary::absorbing) + (j == last_j && tank_.top == Boundary::absorbing);
    value = sides == 0 ? update : absorb(update, before, courant2, sides);
  }

  // The same, and notes a height that is not finite.
  PERTURB_HD void checked_cell(int i, int j) const {
    cell(i, j);
    if (const Real value = to(j)[i]; !(value - value == Real(0))) note_bad_cell(memory_, i, j);
  }

 private:
  PERTURB_HD Real* at(long long field, int j) const {
    return edited_field<Real>(memory_, field) + static_cast<long long>(j) * tank_.stride;
  }
  PERTURB_HD Real* to(int j) const { return at(tank_.fields[tank_.target(level_)], j); }
  PERTURB_HD const Real* from(int j) const {
    return at(level_ == 0 ? tank_.u : tank_.fields[tank_.target(level_ - 1)], j);
  }
  // The level before that; from the third one on, the new level is written over it.
  PERTURB_HD const Real* previous(int j) const {
    return level_ == 0 ? at(tank_.u_previous, j) : level_ == 1 ? at(tank_.u, j) : to(j);
  }

  // The height in the level before, also one cell outside the tank.
  PERTURB_HD Real height_at(int i, int j) const {
    const int a = wave_place(i, tank_.width, tank_.left, tank_.right);
    const int b = wave_place(j, tank_.height, tank_.bottom, tank_.top);
    return a < 0 || b < 0 ? Real(0) : from(b)[a];
  }

  // The first source that holds the cell; null: none.
  PERTURB_HD const EditedSource* source_at(int i, int j) const {
    for (int s = 0; s < tank_.sources; ++s) {
      const EditedSource& source = tank_.hard_sources[s][level_];
      if (source.segment.distance2(i, j) <= source.radius * source.radius) return &source;
    }
    return nullptr;
  }

  // The cells of a row in a source. The first source that holds a cell is the last to be called.
  void overwrite_in(const EditedSource& source, int j) const {
    const CellSegment& s = source.segment;
    const float y = static_cast<float>(j) + 0.5f, reach = source.radius + 1;
    if (y < (s.y0 < s.y1 ? s.y0 : s.y1) - reach || y > (s.y0 < s.y1 ? s.y1 : s.y0) + reach) return;
    const float left = (s.x0 < s.x1 ? s.x0 : s.x1) - reach, right = (s.x0 < s.x1 ? s.x1 : s.x0) + reach;
    const auto width = static_cast<float>(tank_.width);
    const int begin = left > 0 ? static_cast<int>(left < width ? left : width) : 0;
    const int end = right < width ? static_cast<int>(right > 0 ? right : 0) : tank_.width;
    Real* row = to(j);
    for (int i = begin; i < end; ++i)
      if (s.distance2(i, j) <= source.radius * source.radius) row[i] = static_cast<Real>(source.height);
  }

  // The row used in place of the one outside a side that is not absorbing.
  const Real* row_outside(Boundary boundary, int own, int opposite) const {
    return boundary == Boundary::fixed ? at(tank_.zeros, 0) : from(boundary == Boundary::free ? own : opposite);
  }
  template <bool has_medium, bool has_sponge>
  void whole_row(int j) const {
    const int last = tank_.width - 1, top = tank_.height - 1;
    const RowCell<Real, has_medium, has_sponge ? RowDamping::sponge : RowDamping::even, false, nine> row{
        from(j),
        j > 0 ? from(j - 1) : row_outside(tank_.bottom, 0, top),
        j < top ? from(j + 1) : row_outside(tank_.top, top, 0),
        has_medium ? at(tank_.medium, j) : nullptr,
        has_sponge ? at(tank_.sponge_x, 0) : nullptr,
        has_sponge ? at(tank_.sponge_y, 0)[j] : Real(1),
        static_cast<Real>(tank_.courant2),
        static_cast<Real>(tank_.inertia),
        0};
    const Real* before = previous(j);
    Real* out = to(j);
    const auto ends = row.ends(last, tank_.left, tank_.right, {before[0], before[last]});
    out[0] = ends.left;
    out[last] = ends.right;
    // Rows start on a cache line: whole vectors from a multiple of `aligned` on never straddle two.
    constexpr int aligned = 64 / static_cast<int>(sizeof(Real));
    const int first = aligned < last ? aligned : last, end = last / aligned * aligned;
    inner_cells(row, before, out, 1, first);
    if (first < end) inner_cells(row, before, out, first, end);
    if (first < last) inner_cells(row, before, out, first < end ? end : first, last);
  }
  // Cells begin .. end-1, not at the ends. `row` is passed by value: through a reference, the compiler must assume that
  // a store to the row may change it.
  template <class Cell>
  PERTURB_FLAT [[gnu::noinline]] static void inner_cells(const Cell row, const Real* before, Real* out, int begin,
                                                         int end) {
    PERTURB_INDEPENDENT_ITERATIONS
    for (int i = begin; i < end; ++i) out[i] = row(i, before[i]);
  }

  char* memory_;
  const EditedTank& tank_;
  int level_;
};

}  // namespace perturb::wave
