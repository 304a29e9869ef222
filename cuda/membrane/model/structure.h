// What follows from a cover: which patches overlap, the integration cells, the order in which patches may be worked on
// at once. On the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/membrane/model/cover.h"

namespace perturb::membrane {

// Where the domain is cut along every patch boundary (and, where cells of different size meet, along their middle
// lines, where hats have their kink): on each of these cells the integrand is smooth.
struct CutCell {
  double x0, y0, x1, y1;
  int owner;        // the leaf it lies in
  int first, over;  // its patches in the list
};

// What the matrices and kernels need to know of a cover.
struct Structure {
  Structure() = default;
  // Throws InputError where more patches overlap, or more cells are cut, than can be.
  Structure(const Cover& cover, double overlap);

  bool uniform = true, same_degree = true;
  int per_side = 1;  // finest cells a direction
  int highest_degree = 1;
  double overlap = 1.3;
  std::int64_t unknowns = 0;
  std::int64_t values = 0;  // numbers in one block matrix
  std::vector<Patch> patches;
  // Blocks of row i: row[i] .. row[i + 1], by column; block (i, j) has functions(i) x functions(j) numbers, its columns
  // one after the other, and begins at offset.
  std::vector<std::int64_t> row;
  std::vector<int> column;
  std::vector<std::int64_t> offset;
  // Patches by colour: no two of one colour overlap.
  std::vector<int> color_begin, colored;
  // Of covers that are not uniform: the leaf over each finest cell, the patches over each leaf, the integration cells
  // and, for each patch, the cells it lies over.
  std::vector<int> raster, leaf_begin, leaf_patches;
  std::vector<CutCell> cells;
  std::vector<int> cell_patches, patch_begin, patch_cells;

  int count() const { return static_cast<int>(patches.size()); }
  // Integration cells.
  std::int64_t cell_count() const;
};

// What a list of the structure counts, as the number that stands in it. Throws InputError where no int can count so
// far.
int membrane_number(std::size_t count);

// Numbers in one block matrix of a uniform cover, and its unknowns, without making it.
std::int64_t uniform_values(int level, int degree);
std::int64_t uniform_unknowns(int level, int degree);

}  // namespace perturb::membrane
