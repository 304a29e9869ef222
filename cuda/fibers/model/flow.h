// From positions and directions to velocities: the interaction of all pairs, the balance of forces solved, the motion.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/matrix.h"
#include "cuda/fibers/model/nodes.h"
#include "cuda/fibers/model/solver.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Force of the user on the fluid at a point, in fiber weights.
struct Pull {
  Vector3<double> at{0, 0, 0}, force{0, 0, 0};
  double core = 0.5;
  bool any() const { return force.x != 0 || force.y != 0 || force.z != 0; }
};

// Works on `fibers` fibers with one set of restart-parameters and one method; another number needs a new object.
class Flow {
 public:
  // `stored`: whether the matrix is kept between the products of an evaluation (ignored for `nodes` and `levels`).
  // Throws Error when memory is short.
  Flow(Backend& backend, int fibers, const Parameters& parameters, Kernel kernel, bool stored);

  // Velocities xdot and tdot [fibers][3] and force coefficients [fibers][N][3] for fibers at `position` with unit
  // tangents `tangent`. The tolerance and the slenderness are those of `parameters`, whose restart-parameters must be
  // the ones this was made with. All pointers are the backend's.
  Solve evaluate(const Parameters& parameters, const double* position, const double* tangent, const Pull& pull,
                 double* velocity, double* spin, double* coefficients);

  // Sets the half-lengths, which must outlive this object; without a call all are 1.
  void set_lengths(Lengths* lengths);

  // From now on the interaction is computed elsewhere: for a stored matrix in double precision.
  void set_external_matrix(ExternalMatrix external_matrix) { matrix_->set_external_matrix(std::move(external_matrix)); }

  const Layout& layout() const { return layout_; }
  // Releases the matrix, so that two are never in memory at once; the next evaluation allocates it again. Waits.
  void release_matrix();
  // Bytes of the matrix, if it is stored.
  std::size_t matrix_bytes() const { return matrix_ ? matrix_->stored_bytes() : 0; }
  // Pairs computed by closed forms (all of them, or the close ones with `nodes` and `levels`).
  double closed_pairs() const;
  // With the kernel `levels`, after an evaluation; waits.
  double evaluations_per_pair() const { return levels_->evaluations_per_pair(); }

  // Bytes that an object takes.
  static std::size_t bytes(int fibers, const Parameters& parameters, int tile, Kernel kernel, bool stored);

  // Theta of one pair as [(K+1)²][6], for tests; needs a stored matrix and a past evaluation.
  std::vector<double> tensors(int m, int l) const;

 private:
  void prepare(const Poses& poses);
  void product(Product product, const double* f, double* sums);

  Backend& backend_;
  Layout layout_;
  int terms_;
  bool alone_ = false;
  FiberRule rule_;
  Balance balance_;
  Lengths* lengths_ = nullptr;  // of fibers of unequal length
  Array<double> half_axis_;     // of these
  // One of these, by the kernel; `matrix_` for those of closed forms.
  std::unique_ptr<Nodes> nodes_;
  std::unique_ptr<LevelSums> levels_;
  std::unique_ptr<Matrix> matrix_;
  // [fibers][K+1][3] each
  Array<double> weights_, sums_, weight_sums_;
  Solver solver_;
};

}  // namespace perturb::fibers
