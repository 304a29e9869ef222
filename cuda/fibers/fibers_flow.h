// From positions and directions to velocities: the interaction of all pairs, the balance of forces solved, the motion.
#pragma once

#include <optional>

#include "cuda/core/field.h"
#include "cuda/core/reduce.h"
#include "cuda/fibers/fibers_interaction.h"
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

struct FiberDot {
  double sum = 0;
  PERTURB_HD void merge(const FiberDot& other) { sum += other.sum; }
};

// Works on `fibers` fibers with one set of restart-parameters; a change of their number takes a new one.
class FiberFlow {
 public:
  // Throws Error when memory is short.
  FiberFlow(Backend& backend, int fibers, const FiberParameters& parameters);

  // Velocities xdot and tdot [fibers][3] and force coefficients [fibers][N][3] for fibers at `position` with unit
  // tangents `tangent`. The tolerance and the slenderness are those of `parameters`, whose restart-parameters must be
  // the ones this was made with. All pointers are the backend's.
  FiberSolve evaluate(const FiberParameters& parameters, FiberKernel kernel, const double* position,
                      const double* tangent, const FiberPull& pull, double* velocity, double* spin,
                      double* coefficients);

  const FiberLayout& layout() const { return layout_; }
  bool stored() const { return stored_; }
  std::size_t stored_bytes() const;

  // Bytes that one takes with stored interaction (`stored`) or at least.
  static std::size_t bytes(int fibers, const FiberParameters& parameters, int tile, bool stored);

  // Theta of one pair as [(K+1)²][6], for tests; needs stored interaction and a past evaluation.
  std::vector<double> tensors(int m, int l) const;

 private:
  void interaction(const FiberPlaces& places);
  void product(FiberProduct product, const double* f, double* sums);
  void product_of_part(FiberProduct product, FiberPart part, const double* f);
  void interaction_of_part(FiberPart part, const FiberPlaces& places);
  double dot(const double* a, const double* b);
  void apply_operator(const double* p, double* q);
  FiberSolve conjugate_gradients(double tolerance);
  FiberSolve gmres(double tolerance);

  Backend& backend_;
  FiberLayout layout_;
  int terms_;
  bool fp32_, stored_, alone_ = false;
  FiberRule rule_;
  FiberConstants constants_;
  FiberKernel kernel_ = FiberKernel::stable;
  FiberPlaces places_;
  FiberPart scratch_;  // how many tile pairs the buffer holds
  Array<double> theta64_;
  Array<float> theta32_;
  Array<double> partials_;
  // [fibers][K+1][3] each; slot 0 of the unknowns is zero.
  Array<double> weights_, sums_, weight_sums_, x_, r_, z_, p_, q_, g_;
  Array<double> basis_;  // of GMRES, made when it is first needed
  mutable Reduction<FiberDot> dot_;
};

}  // namespace perturb
