// The cover of the unit square: square cells of a quadtree, each blown up to a patch, and what follows from them: who
// overlaps whom, the integration cells, the order in which patches may be worked on at once. On the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/membrane/membrane_cell.h"

namespace perturb {

// A cell of the quadtree: the square of side 2^-level at (i, j) in units of its side.
struct MembraneLeaf {
  int level = 0, i = 0, j = 0, degree = 1;
  bool operator==(const MembraneLeaf&) const = default;
};

class MembraneCover {
 public:
  MembraneCover() = default;
  // 2^level patches a direction.
  MembraneCover(int level, int degree);
  // Throws InputError unless the leaves tile the square, each cell no more than twice as wide as its neighbours.
  explicit MembraneCover(std::vector<MembraneLeaf> leaves);

  const std::vector<MembraneLeaf>& leaves() const { return leaves_; }
  int count() const { return static_cast<int>(leaves_.size()); }
  // All cells of the same size: leaf (i, j) is then number j·n + i.
  bool uniform() const { return uniform_; }
  bool same_degree() const;
  int per_side() const { return 1 << finest_; }  // of the finest cells
  int finest_level() const { return finest_; }
  int highest_degree() const;
  // The leaf over a point of the square.
  int find(double x, double y) const;

  // Raises or lowers a leaf's degree; splits it into four (and its neighbours where they would be more than
  // twice as wide); puts it and its three siblings together. Throw InputError where that is not possible, and
  // leave the cover as it was.
  void change_degree(int leaf, int by);
  void split(int leaf);
  void merge(int leaf);
  // The next coarser cover of the hierarchy: the finest cells put together by fours.
  MembraneCover coarser() const;

 private:
  void sort();
  void split_leaf(int level, int i, int j);
  void index();

  std::vector<MembraneLeaf> leaves_;
  std::vector<int> raster_;  // the leaf over each of the finest cells; empty where the cover is uniform
  int finest_ = 0;
  bool uniform_ = true;
};

// Where the domain is cut along every patch boundary (and, where cells of different size meet, along their middle
// lines, where hats have their kink): on each of these cells the integrand is smooth.
struct MembraneCutCell {
  double x0, y0, x1, y1;
  int owner;        // the leaf it lies in
  int first, over;  // its patches in the list
};

// What the matrices and kernels need to know of a cover.
struct MembraneStructure {
  MembraneStructure() = default;
  // Throws InputError where more patches overlap, or more cells are cut, than can be.
  MembraneStructure(const MembraneCover& cover, double overlap);

  bool uniform = true, same_degree = true;
  int per_side = 1;  // finest cells a direction
  int highest_degree = 1;
  double overlap = 1.3;
  std::int64_t unknowns = 0;
  std::int64_t values = 0;  // numbers in one block matrix
  std::vector<MembranePatch> patches;
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
  std::vector<MembraneCutCell> cells;
  std::vector<int> cell_patches, patch_begin, patch_cells;

  int count() const { return static_cast<int>(patches.size()); }
  // Integration cells.
  std::int64_t cell_count() const;
};

// What a list of the structure counts, as the number that stands in it. Throws InputError where no int can count so
// far.
int membrane_number(std::size_t count);

// Numbers in one block matrix of a uniform cover, and its unknowns, without making it.
std::int64_t membrane_uniform_values(int level, int degree);
std::int64_t membrane_uniform_unknowns(int level, int degree);

}  // namespace perturb
