// The cover of the unit square: square cells of a quadtree, each enlarged to a patch. On the host.
#pragma once

#include <vector>

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

}  // namespace perturb::membrane
