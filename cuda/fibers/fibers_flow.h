// From positions and directions to velocities: the interaction of all pairs, the balance of forces solved, the motion.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/field.h"
#include "cuda/core/reduce.h"
#include "cuda/fibers/fibers_interaction.h"
#include "cuda/fibers/fibers_nodes.h"
#include "cuda/fibers/fibers_params.h"

namespace perturb {

// A force that the user puts on the fluid at a point, in fiber weights.
struct FiberPull {
  Vector3<double> at{0, 0, 0}, force{0, 0, 0};
  double core = 0.5;
  bool any() const { return force.x != 0 || force.y != 0 || force.z != 0; }
};

// How the solve went.
struct FiberSolve {
  int iterations = 0;
  double residual = 0;  // relative
  bool converged = true;
  bool indefinite = false;  // conjugate gradients met p.Ap <= 0, and GMRES took over
};

// Scalar products of several vectors with one, in one pass.
struct FiberDots {
  static constexpr int most = 8;
  double sum[most] = {};
  PERTURB_HD void merge(const FiberDots& other) {
    for (int k = 0; k < most; ++k) sum[k] += other.sum[k];
  }
};
struct FiberDot {
  double sum = 0;
  PERTURB_HD void merge(const FiberDot& other) { sum += other.sum; }
};

// Works on `fibers` fibers with one set of restart-parameters and one way to compute; a change of
// their number takes a new one.
class FiberFlow {
 public:
  // `stored`: whether the matrix is kept between the products of an evaluation (no matter for the kernel `nodes`).
  // Throws Error when memory is short.
  FiberFlow(Backend& backend, int fibers, const FiberParameters& parameters, FiberKernel kernel, bool stored);

  // Velocities xdot and tdot [fibers][3] and force coefficients [fibers][N][3] for fibers at `position` with unit
  // tangents `tangent`. The tolerance and the slenderness are those of `parameters`, whose restart-parameters must be
  // the ones this was made with. All pointers are the backend's.
  FiberSolve evaluate(const FiberParameters& parameters, const double* position, const double* tangent,
                      const FiberPull& pull, double* velocity, double* spin, double* coefficients);

  const FiberLayout& layout() const { return layout_; }
  // Gives the matrix back, so that two never lie in memory at once; the next evaluation takes it again.
  void release_matrix();
  // Bytes of the matrix, stored or not; pairs that got closed forms (all of them, or the close ones with `nodes`).
  std::size_t matrix_bytes() const;
  double closed_pairs() const;

  // Bytes that one takes.
  static std::size_t bytes(int fibers, const FiberParameters& parameters, int tile, FiberKernel kernel, bool stored);

  // Theta of one pair as [(K+1)²][6], for tests; needs stored interaction and a past evaluation.
  std::vector<double> tensors(int m, int l) const;

 private:
  void take_matrix();
  void interaction(const FiberPlaces& places);
  void product(FiberProduct product, const double* f, double* sums);
  void product_of_part(FiberProduct product, FiberPart part, const double* f);
  void interaction_of_part(FiberPart part, const FiberPlaces& places);
  double dot(const double* a, const double* b);
  void orthogonalise(int size, double* z, std::vector<double>& overlaps);
  void apply_operator(const double* p, double* q);
  FiberSolve conjugate_gradients(double tolerance);
  FiberSolve gmres(double tolerance);

  Backend& backend_;
  FiberLayout layout_;
  int terms_;
  bool fp32_, stored_, alone_ = false;
  FiberRule rule_;
  FiberConstants constants_;
  FiberKernel kernel_;
  FiberPlaces places_;
  FiberPart scratch_;                 // how many tile pairs the buffer holds
  Array<double> theta64_, points64_;  // points: what the source's launch of `recursion` leaves for its sums
  Array<float> theta32_, points32_;
  Array<double> partials_;
  std::unique_ptr<FiberNodes> nodes_;  // of the kernel `nodes`
  // [fibers][K+1][3] each; slot 0 of the unknowns is zero.
  Array<double> weights_, sums_, weight_sums_, x_, r_, z_, p_, q_, g_;
  Array<double> basis_;  // of GMRES, made when it is first needed
  mutable Reduction<FiberDot> dot_;
  mutable Reduction<FiberDots> dots_;
};

}  // namespace perturb
