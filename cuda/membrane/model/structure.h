// Derived data of a cover: overlapping patches, integration cells, and the order in which patches may be processed in
// parallel. On the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/membrane/model/cover.h"

namespace perturb::membrane {

// The domain is cut along every patch boundary. Where cells of different size are adjacent it is also cut along the
// middle lines of the patches, where hats have their kink. The integrand is smooth on each of these cells.
struct CutCell {
  double x0, y0, x1, y1;
  int owner;        // the leaf that contains it
  int first, over;  // its patches in the list
};

// Data of a cover for matrices and kernels.
struct Structure {
  Structure() = default;
  // Throws InputError if too many patches overlap, or if there are too many cells.
  Structure(const Cover& cover, double overlap);

  bool uniform = true, same_degree = true;
  int per_side = 1;  // finest cells per direction
  int highest_degree = 1;
  double overlap = 1.3;
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
  // Integration cells.
  std::int64_t cell_count() const;
};

// A size of the structure as an int. Throws InputError if it does not fit.
int membrane_number(std::size_t count);

// Numbers in one block matrix of a uniform cover, and its unknowns, without creating it.
std::int64_t uniform_values(int level, int degree);
std::int64_t uniform_unknowns(int level, int degree);

}  // namespace perturb::membrane
