// Steps of a tank whose cell function a user edits: this file is compiled while the program runs, with the user's text
// in place of model/cell.h. It therefore includes only small headers, and gets the tank as one piece of memory.
#pragma once

#include "cuda/core/math/geometry.h"
#include "cuda/wave/model/cell.h"
#include "cuda/wave/model/sides.h"

namespace perturb::wave {

constexpr int most_edited_sources = 8, most_edited_levels = 12;

// HardSource (model/step_params.h) at one level.
struct EditedSource {
  CellSegment segment;
  float radius;
  double height;
};

// The begin of that memory. Two compilers read it, so the members are plain; fields are given by their distance from
// the begin, in bytes. Meaning of the members: StepParams.
struct EditedTank {
  int width, height, stride;
  Boundary left, right, bottom, top;
  double courant2, inertia;
  long long u, u_previous;
  long long medium, sponge_x, sponge_y;  // 0: none
  int bad_cell;  // set by checked_cell: 1 + width j + i of a cell whose height is not finite; 0: none
  int sources;
  EditedSource hard_sources[most_edited_sources][most_edited_levels];
};

// Level 0 is computed from u and written over u_previous, level 1 from there over u, and so on. With the built-in text,
// all cells are bit-identical to wave_cell.
template <class Real, bool nine>
class EditedRows {
 public:
  PERTURB_HD EditedRows(char* memory, int level)
      : memory_(memory), tank_(*reinterpret_cast<const EditedTank*>(memory)), level_(level) {}

  // Updates one row.
  void row(int j) const {
    const int last = tank_.width - 1;
    if (j == 0 || j == tank_.height - 1 || last < 2) {
      for (int i = 0; i <= last; ++i) cell(i, j);
      return;
    }
    // The ends read old values of their own column only.
    cell(0, j), cell(last, j);
    const bool has_medium = tank_.medium != 0, has_sponge = tank_.sponge_x != 0;
    if (has_medium)
      has_sponge ? inner<true, true>(j) : inner<true, false>(j);
    else
      has_sponge ? inner<false, true>(j) : inner<false, false>(j);
    if (tank_.sources == 0) return;
    for (int i = 1; i < last; ++i)
      if (const EditedSource* source = source_at(i, j)) to(j)[i] = static_cast<Real>(source->height);
  }

  // Updates one cell anywhere in the tank.
  PERTURB_HD void cell(int i, int j) const {
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
      weight *= sponge, inertia *= sponge;
    }
    const int last_i = tank_.width - 1, last_j = tank_.height - 1;
    const Real own = height_at(i, j);
    Real laplacian =
        wave_laplacian(own, height_at(i - 1, j), height_at(i + 1, j), height_at(i, j - 1), height_at(i, j + 1));
    if (nine)
      laplacian = laplacian_nine(laplacian, own,
                                 wave_corners(height_at(i - 1, j - 1), height_at(i + 1, j - 1), height_at(i - 1, j + 1),
                                              height_at(i + 1, j + 1)));
    const Real update = wave_advance(own, value, laplacian, weight, inertia);
    const int sides =
        (i == 0 && tank_.left == Boundary::absorbing) + (i == last_i && tank_.right == Boundary::absorbing) +
        (j == 0 && tank_.bottom == Boundary::absorbing) + (j == last_j && tank_.top == Boundary::absorbing);
    value = sides == 0 ? update : absorb(update, value, courant2, sides);
  }

  // The same, and notes a height that is not finite.
  PERTURB_HD void checked_cell(int i, int j) const {
    cell(i, j);
    const Real value = to(j)[i];
    if (!(value - value == Real(0))) reinterpret_cast<EditedTank*>(memory_)->bad_cell = 1 + tank_.width * j + i;
  }

 private:
  PERTURB_HD Real* at(long long field, int j) const {
    return reinterpret_cast<Real*>(memory_ + field) + static_cast<long long>(j) * tank_.stride;
  }
  PERTURB_HD const Real* from(int j) const { return at(level_ % 2 == 0 ? tank_.u : tank_.u_previous, j); }
  PERTURB_HD Real* to(int j) const { return at(level_ % 2 == 0 ? tank_.u_previous : tank_.u, j); }

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

  // All cells between the two ends of a row that is not at a side, without sources.
  template <bool has_medium, bool has_sponge>
  void inner(int j) const {
    const Real *own = from(j), *below = from(j - 1), *above = from(j + 1);
    const Real* medium = has_medium ? at(tank_.medium, j) : nullptr;
    const Real* sponge = has_sponge ? at(tank_.sponge_x, 0) : nullptr;
    const Real sponge_here = has_sponge ? at(tank_.sponge_y, 0)[j] : Real(1);
    const Real courant2 = static_cast<Real>(tank_.courant2), inertia = static_cast<Real>(tank_.inertia);
    const int last = tank_.width - 1;
    Real* out = to(j);
    PERTURB_INDEPENDENT_ITERATIONS
    for (int i = 1; i < last; ++i) {
      Real weight = has_medium ? wave_courant2(medium[i], courant2) : courant2, a = inertia;
      if (has_sponge) {
        const Real share = sponge[i] * sponge_here;
        weight *= share, a *= share;
      }
      Real laplacian = wave_laplacian(own[i], own[i - 1], own[i + 1], below[i], above[i]);
      if (nine)
        laplacian =
            laplacian_nine(laplacian, own[i], wave_corners(below[i - 1], below[i + 1], above[i - 1], above[i + 1]));
      const Real updated = wave_advance(own[i], out[i], laplacian, weight, a);
      // copysign instead of is_wall: it keeps the loop free of branches, so that it can be vectorised.
      out[i] = has_medium && std::copysign(Real(1), medium[i]) < Real(0) ? Real(0) : updated;
    }
  }

  char* memory_;
  const EditedTank& tank_;
  int level_;
};

}  // namespace perturb::wave
