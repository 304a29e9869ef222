// Solves (K + shift·M) u = F: conjugate gradients where the matrix is definite, MINRES where it is not, each
// preconditioned by the inverse of the patches' own blocks or by a V-cycle over the covers of all levels.
//
// Hestenes, Stiefel (1952); Paige, Saunders, "Solution of sparse indefinite systems of linear equations" (1975); the
// V-cycle between spaces that are not nested: Griebel, Schweitzer, "A particle-partition of unity method, part III: a
// multilevel solver" (2002), with the local-to-local projection, which is exact for the local polynomials.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/reduce.h"
#include "cuda/membrane/membrane_assembly.h"

namespace perturb {

// A matrix as kernels see it: blocks a + shift·b (b may be null).
struct MembraneMatrix {
  const double *a = nullptr, *b = nullptr;
  double shift = 0;
};

// Polynomials of a cell in terms of its half's: value[half][child power][parent power], for one direction.
struct MembraneTransfer {
  double value[2][membrane_most_powers][membrane_most_powers];
};
MembraneTransfer membrane_transfer(double overlap, MembraneBasis basis);

struct MembraneDot {
  double sum = 0;
  PERTURB_HD void merge(const MembraneDot& other) { sum += other.sum; }
};

struct MembraneSolved {
  bool converged = true;
  int iterations = 0;
  double residual = 0;          // in the preconditioner's norm, relative to the load's
  std::vector<double> history;  // the residual by iteration
  bool minres = false;
  double tolerance = 0;  // what the residual was to come to, where that is not the parameters'
};

struct MembraneSolveOptions {
  MembranePreconditioner preconditioner = MembranePreconditioner::multilevel;
  double tolerance = 1e-8;
  int max_iterations = 1000;
};

// One level of the hierarchy. The finest has its matrices elsewhere.
struct MembraneLevel {
  MembraneStructure structure;
  MembraneSpace space;
  Array<double> values;   // the blocks of K + shift·M; empty on the finest level
  Array<double> inverse;  // of the patches' own blocks
  Array<double> vectors;  // solution, right-hand side, rest
  Array<int>
      family;  // of each patch, its parent in the next coarser level and which child it is; then each parent's children
};

class MembraneSolver {
 public:
  explicit MembraneSolver(Backend& backend);

  // Makes ready for another cover. `finest` is kept by the caller for as long as this is used. Throws Error when memory
  // is short, and is then empty.
  void set_cover(const MembraneCover& cover, const MembraneStructure& finest, const MembraneSpace& space);
  // Bytes for this cover, and for a uniform one without making it.
  static std::size_t bytes(const MembraneCover& cover, double overlap);
  static std::size_t uniform_bytes(int level, int degree);

  // Makes the preconditioner ready for matrices that have changed. The form's load is not looked at.
  void prepare(const MembraneMatrix& matrix, const MembraneForm& form, MembranePreconditioner preconditioner);
  // Improves `u` until its residual is small. Says in the result when that did not succeed.
  MembraneSolved solve(const MembraneMatrix& matrix, bool definite, const double* load, double* u,
                       const MembraneSolveOptions& options);

  // Improves the pair (u, lag), one vector after the other, of (K + shift·M + i c M)(u + i lag) = F, `coupling` being
  // c: MINRES for the real system ((A, -c M), (-c M, -A)), which is symmetric, with the preconditioner for both halves.
  // `work`: pair_vectors vectors as long as u.
  MembraneSolved solve_pair(const MembraneMatrix& matrix, const MembraneMatrix& mass, double coupling,
                            const double* load, double* pair, double* work, const MembraneSolveOptions& options);
  static constexpr int pair_vectors = 19;

  // y = A x, and y = P⁻¹ x with the preconditioner, for tests.
  void apply(const MembraneMatrix& matrix, const double* x, double* y);
  void precondition(MembranePreconditioner kind, const double* x, double* y);
  double dot(const double* x, const double* y);
  // to = a u + b v + c w; v and w may be null.
  void combine(double a, const double* u, double b, const double* v, double c, const double* w, double* to);
  int levels() const { return static_cast<int>(levels_.size()); }

 private:
  void apply_level(int level, const MembraneMatrix& matrix, const double* right, const double* x, double* y);
  void cycle(int level, const double* right, double* x);
  void relax(int level, const double* right, double* x, bool backwards);
  const MembraneStructure& structure(int level) const { return level == 0 ? *finest_ : levels_[level].structure; }
  const MembraneSpace& space(int level) const { return level == 0 ? *space_ : levels_[level].space; }
  MembraneMatrix matrix_of(int level) const;
  MembraneSolved solve_definite(const MembraneMatrix& matrix, const double* load, double* u,
                                const MembraneSolveOptions& options);
  // What MINRES works on: a matrix, or a pair of them with a coupling between.
  struct System {
    MembraneMatrix matrix, mass;
    double coupling = 0;
    bool pair = false;
    double* spare = nullptr;  // of a pair: one vector
  };
  // y = S x, or right - S x; and the preconditioner of S.
  void apply_system(const System& system, const double* right, const double* x, double* y);
  void precondition_system(const System& system, MembranePreconditioner kind, const double* x, double* y);
  MembraneSolved minres(const System& system, const double* load, double* u, double* work,
                        const MembraneSolveOptions& options);
  double dot_of(std::int64_t size, const double* x, const double* y);
  void combine_of(std::int64_t size, double a, const double* u, double b, const double* v, double c, const double* w,
                  double* to);

  Backend& backend_;
  Reduction<MembraneDot> dot_;
  MembraneAssembler assembler_;
  const MembraneStructure* finest_ = nullptr;
  const MembraneSpace* space_ = nullptr;
  std::vector<MembraneLevel> levels_;  // from the finest to a single patch
  Array<double> work_;
  Array<MembraneTransfer> transfer_;
  MembraneMatrix preconditioned_;  // what the finest level's preconditioner was made for
};

}  // namespace perturb
