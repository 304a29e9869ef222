// Preconditioner: the inverses of the patches' own blocks, or a V-cycle over the covers of all levels, from the finest
// to a single patch.
//
// The V-cycle between spaces that are not nested: Griebel, Schweitzer, "A particle-partition of unity method, part III:
// a multilevel solver" (2002), with the local-to-local projection, which is exact for the local polynomials.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/membrane/model/algebra.h"
#include "cuda/membrane/model/assembly.h"

namespace perturb::membrane {

// Polynomials of a cell expressed in those of one half: value[half][child power][parent power], for one direction.
struct Transfer {
  double value[2][max_powers][max_powers];
};

// One level of the hierarchy. The matrices of the finest are stored elsewhere.
struct Level {
  Structure structure;
  Space space;
  Array<double> values;   // the blocks of K + shift·M; empty on the finest level
  Array<double> inverse;  // of the patches' own blocks
  Array<double> vectors;  // solution, right-hand side, residual
  Array<int> family;  // for each patch, its parent in the next coarser level and which child it is; then each parent's
                      // children
};

class Hierarchy {
 public:
  // For this cover. `finest` and `space` belong to it and must outlive this object. Throws Error if there is not enough
  // memory.
  Hierarchy(Backend& backend, const Cover& cover, const Structure& finest, const Space& space);
  // Bytes for this cover, and for a uniform one without creating it.
  static std::size_t bytes(const Cover& cover, const Structure& finest);
  static std::size_t uniform_bytes(int level, int degree);

  // Prepares the preconditioner for changed matrices. Ignores the form's load.
  void prepare(const Matrix& matrix, const Form& form, Preconditioner kind);
  // y = P⁻¹ x, on the finest level.
  void precondition(Preconditioner kind, const double* x, double* y);
  int levels() const { return static_cast<int>(levels_.size()); }

 private:
  void cycle(int level, const double* right, double* x);
  void relax(int level, const double* right, double* x, bool backwards);
  Level& at(int level) { return levels_[static_cast<std::size_t>(level)]; }
  const Structure& structure(int level) { return level == 0 ? finest_ : at(level).structure; }
  const Space& space(int level) { return level == 0 ? space_ : at(level).space; }
  Matrix matrix_of(int level) { return level == 0 ? matrix_ : Matrix{at(level).values.data(), nullptr, 0}; }

  Backend& backend_;
  const Structure& finest_;
  const Space& space_;
  Assembler assembler_;
  Array<Transfer> transfer_;
  std::vector<Level> levels_;
  Matrix matrix_;  // matrix of the finest level for which this was prepared
};

}  // namespace perturb::membrane
