// The cover of the unit square: square cells of a quadtree, each enlarged to a patch. Its structure, derived on the
// host, and its copy in the memory of a backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/membrane/model/cell.h"

namespace perturb::membrane {

// A cell of the quadtree: the square of side 2^-level at (i, j) in units of its side.
struct Leaf {
  int level = 0, i = 0, j = 0, degree = 1;
  bool operator==(const Leaf&) const = default;
};

class Cover {
 public:
  Cover() = default;
  // 2^level patches per direction.
  Cover(int level, int degree);
  // Throws InputError unless the leaves tile the square and each cell is at most twice as wide as its neighbours.
  explicit Cover(std::vector<Leaf> leaves);

  const std::vector<Leaf>& leaves() const { return leaves_; }
  int count() const { return static_cast<int>(leaves_.size()); }
  // Whether all cells have the same size: leaf (i, j) is then number j·n + i.
  bool uniform() const { return uniform_; }
  bool same_degree() const;
  int per_side() const { return 1 << finest_; }  // finest cells per direction
  int finest_level() const { return finest_; }
  int highest_degree() const;
  // The leaf that contains a point of the square.
  int find(double x, double y) const;

  // Raises or lowers a leaf's degree; splits it into four (and its neighbours if they would be more than twice as
  // wide); merges it with its three siblings. Throws InputError if that is not possible, and leaves the cover
  // unchanged.
  void change_degree(int leaf, int by);
  void split(int leaf);
  void merge(int leaf);
  // The next coarser cover of the hierarchy: merges groups of four of the finest cells.
  Cover coarser() const;

 private:
  void sort();
  void split_leaf(int level, int i, int j);
  void index();

  std::vector<Leaf> leaves_;
  std::vector<int> raster_;  // the leaf over each of the finest cells; empty if the cover is uniform
  int finest_ = 0;
  bool uniform_ = true;
};

// ---- structure: overlapping patches, integration cells, and the order in which patches may be processed in parallel

// The domain is cut along every patch boundary. Where cells of different size are adjacent it is also cut along the
// middle lines of the patches, where hats have their kink. The integrand is smooth on each of these cells.
struct CutCell {
  double x0, y0, x1, y1;
  int owner;        // the leaf that contains it
  int first, over;  // its patches in the list
};

// Data of a cover for matrices and kernels. In a domain with a tip it is never uniform. Cells outside are left out, and
// patches that reach across a slit end there, except those over its end: kernels need no other test of the domain.
struct Structure {
  Structure() = default;
  // Throws InputError if too many patches overlap, or if there are too many cells.
  Structure(const Cover& cover, double overlap, const Domain& domain = {});

  bool uniform = true, same_degree = true;  // uniform: all cells of one size, on the whole square
  int per_side = 1;                         // finest cells per direction
  int highest_degree = 1;
  double overlap = 1.3;
  Domain domain;
  std::int64_t unknowns = 0;
  std::int64_t values = 0;  // numbers in one block matrix
  std::vector<Patch> patches;
  // Blocks of row i: row[i] .. row[i + 1], by column. Block (i, j) has functions(i) x functions(j) numbers, column by
  // column, and starts at offset.
  std::vector<std::int64_t> row;
  std::vector<int> column;
  std::vector<std::int64_t> offset;
  // Patches by colour: no two of one colour overlap.
  std::vector<int> color_begin, colored;
  // For covers that are not uniform: the leaf over each finest cell, the patches over each leaf, the integration cells
  // and, for each patch, the cells under it.
  std::vector<int> raster, leaf_begin, leaf_patches;
  std::vector<CutCell> cells;
  std::vector<int> cell_patches, patch_begin, patch_cells;

  int count() const { return static_cast<int>(patches.size()); }
  // Whether a patch may cover points of a leaf's cell: both belong to the domain, and no slit separates them.
  bool is_over(int patch, int leaf) const;
  // Functions of a patch, at most.
  int most_functions() const { return membrane_functions(highest_degree) + (domain.enriches() ? 1 : 0); }
  // Integration cells.
  std::int64_t cell_count() const;
};

// A size of the structure as an int. Throws InputError if it does not fit.
int membrane_number(std::size_t count);

// Numbers in one block matrix of a uniform cover, and its unknowns, without creating it.
std::int64_t uniform_values(int level, int degree);
std::int64_t uniform_unknowns(int level, int degree);

// ---- in the memory of a backend

// One integration cell with the patches that cover all of it.
struct Cell {
  double x0, y0, x1, y1;
  int over = 0;
  int patches[max_patches_over_point];

  PERTURB_HD int index_of(int patch) const {
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
  Domain domain;
  Basis basis = Basis::legendre;
  const Patch* patches = nullptr;
  const std::int64_t* row = nullptr;
  const int* column = nullptr;
  const std::int64_t* offset = nullptr;
  // For covers that are not uniform.
  const int *raster = nullptr, *leaf_begin = nullptr, *leaf_patches = nullptr;
  const CutCell* cells = nullptr;
  const int *cell_patches = nullptr, *patch_begin = nullptr, *patch_cells = nullptr;

  PERTURB_HD int functions(int patch) const { return patches[patch].functions(); }
  PERTURB_HD int most_functions() const { return membrane_functions(highest_degree) + (domain.enriches() ? 1 : 0); }
  // All shape functions of a patch, which is number k of the weights.
  PERTURB_HD void shapes(const Patch& p, double x, double y, const Weights& w, int k, Shapes& to) const {
    to.at(p, basis, x, y, w.phi[k], w.phi_x[k], w.phi_y[k]);
    if (p.enriched) to.enrich(p, domain.singular(x, y), w.phi[k], w.phi_x[k], w.phi_y[k]);
  }
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
    c.x0 = piece_begin(piece_x, per_side, overlap);
    c.x1 = piece_end(piece_x, per_side, overlap);
    c.y0 = piece_begin(piece_y, per_side, overlap);
    c.y1 = piece_end(piece_y, per_side, overlap);
    c.over = 0;
    for (int j = piece_y / 2; j <= (piece_y + 1) / 2; ++j)
      for (int i = piece_x / 2; i <= (piece_x + 1) / 2; ++i) c.patches[c.over++] = j * per_side + i;
    return c;
  }
  PERTURB_HD Cell cut_cell(int index) const {
    const CutCell& cut = cells[index];
    Cell c;
    c.x0 = cut.x0;
    c.y0 = cut.y0;
    c.x1 = cut.x1;
    c.y1 = cut.y1;
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
