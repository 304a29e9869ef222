// A cover in the memory of a backend, and its view for kernels.
#pragma once

#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/membrane/model/structure.h"

namespace perturb::membrane {

// One integration cell with the patches that cover all of it.
struct Cell {
  double x0, y0, x1, y1;
  int over = 0;
  int patches[max_patches_over_point];

  PERTURB_HD int place_of(int patch) const {
    for (int k = 0; k < over; ++k)
      if (patches[k] == patch) return k;
    return -1;
  }
};

// Pieces of one direction of a uniform cover: piece 2i lies under patch i alone, piece 2i + 1 under i and i + 1.
PERTURB_HD inline double piece_begin(int piece, int per_side, double overlap) {
  const int i = piece / 2;
  if (piece == 0) return 0;
  return piece % 2 == 0 ? (i - 0.5 + 0.5 * overlap) / per_side : (i + 1.5 - 0.5 * overlap) / per_side;
}
PERTURB_HD inline double piece_end(int piece, int per_side, double overlap) {
  return piece == 2 * per_side - 2 ? 1 : piece_begin(piece + 1, per_side, overlap);
}

struct SpaceView {
  bool uniform = true;
  int per_side = 1;
  int count = 0;
  int highest_degree = 1;
  double overlap = 1.3;
  Basis basis = Basis::legendre;
  const Patch* patches = nullptr;
  const std::int64_t* row = nullptr;
  const int* column = nullptr;
  const std::int64_t* offset = nullptr;
  // For covers that are not uniform.
  const int *raster = nullptr, *leaf_begin = nullptr, *leaf_patches = nullptr;
  const CutCell* cells = nullptr;
  const int *cell_patches = nullptr, *patch_begin = nullptr, *patch_cells = nullptr;

  PERTURB_HD int functions(int patch) const { return membrane_functions(patches[patch].degree); }
  // Index of the finest cell along one direction.
  PERTURB_HD int along(double at) const {
    const int k = static_cast<int>(floor(at * per_side));
    return k < 0 ? 0 : k >= per_side ? per_side - 1 : k;
  }
  // The leaf over a point.
  PERTURB_HD int leaf(double x, double y) const {
    const int at = along(y) * per_side + along(x);
    return uniform ? at : raster[at];
  }
  // Index of block (i, j) in the list of blocks; -1: no such block.
  PERTURB_HD std::int64_t block(int i, int j) const {
    for (std::int64_t k = row[i]; k < row[i + 1]; ++k)
      if (column[k] == j) return k;
    return -1;
  }

  // Finds the patches that may cover the point, at most max_patches_over_point, and returns their number; from a leaf's
  // list only those that do cover it.
  PERTURB_HD int patches_over(double x, double y, int* list) const {
    int found = 0;
    if (uniform) {
      const double reach = 0.5 * (overlap - 1);
      const int i = along(x), j = along(y);
      const double tx = x * per_side - i, ty = y * per_side - j;
      const int i0 = tx < reach && i > 0 ? i - 1 : i, i1 = tx > 1 - reach && i < per_side - 1 ? i + 1 : i;
      const int j0 = ty < reach && j > 0 ? j - 1 : j, j1 = ty > 1 - reach && j < per_side - 1 ? j + 1 : j;
      for (int b = j0; b <= j1; ++b)
        for (int a = i0; a <= i1; ++a) list[found++] = b * per_side + a;
      return found;
    }
    const int at = leaf(x, y);
    for (int k = leaf_begin[at]; k < leaf_begin[at + 1] && found < max_patches_over_point; ++k)
      if (patches[leaf_patches[k]].covers(x, y)) list[found++] = leaf_patches[k];
    return found;
  }

  // The integration cells under a patch, numbered from 0.
  PERTURB_HD int cells_of(int patch) const {
    if (!uniform) return patch_begin[patch + 1] - patch_begin[patch];
    return pieces(patch % per_side) * pieces(patch / per_side);
  }
  PERTURB_HD Cell cell_of(int patch, int which) const {
    if (!uniform) return cut_cell(patch_cells[patch_begin[patch] + which]);
    const int i = patch % per_side, j = patch / per_side, across = pieces(i);
    return uniform_cell(first_piece(i) + which % across, first_piece(j) + which / across);
  }
  PERTURB_HD Cell uniform_cell(int piece_x, int piece_y) const {
    Cell c;
    c.x0 = piece_begin(piece_x, per_side, overlap), c.x1 = piece_end(piece_x, per_side, overlap);
    c.y0 = piece_begin(piece_y, per_side, overlap), c.y1 = piece_end(piece_y, per_side, overlap);
    c.over = 0;
    for (int j = piece_y / 2; j <= (piece_y + 1) / 2; ++j)
      for (int i = piece_x / 2; i <= (piece_x + 1) / 2; ++i) c.patches[c.over++] = j * per_side + i;
    return c;
  }
  PERTURB_HD Cell cut_cell(int index) const {
    const CutCell& cut = cells[index];
    Cell c;
    c.x0 = cut.x0, c.y0 = cut.y0, c.x1 = cut.x1, c.y1 = cut.y1;
    c.over = cut.over;
    for (int k = 0; k < cut.over; ++k) c.patches[k] = cell_patches[cut.first + k];
    return c;
  }

 private:
  PERTURB_HD int first_piece(int i) const { return i > 0 ? 2 * i - 1 : 0; }
  PERTURB_HD int pieces(int i) const { return 1 + (i > 0 ? 1 : 0) + (i < per_side - 1 ? 1 : 0); }
};

// Owns the copy. The structure itself remains with the caller.
class Space {
 public:
  Space() = default;
  Space(Backend& backend, const Structure& structure);

  const SpaceView& view() const { return view_; }
  void set_basis(Basis basis) { view_.basis = basis; }
  // Patches of one colour.
  const int* colored() const { return colored_; }

  // Bytes needed for this structure, and for a uniform cover without creating it.
  static std::size_t bytes(const Structure& structure);
  static std::size_t uniform_bytes(int level);

 private:
  Array<std::byte> memory_;  // a single allocation per cover
  SpaceView view_;
  const int* colored_ = nullptr;
};

}  // namespace perturb::membrane
