// Solves the fibers' balance of forces, (B + T) f = g: by conjugate gradients if the interaction is mirrored and so the
// system symmetric, else by GMRES. Each is preconditioned with the fibers' own balance B.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/interaction.h"

namespace perturb::fibers {

// Result of a solve.
struct Solve {
  int iterations = 0;
  double residual = 0;  // relative
  bool converged = true;
  bool indefinite = false;  // conjugate gradients encountered p.Ap <= 0, and GMRES took over
};

// Scalar products of several vectors with one, in one pass.
struct Dots {
  static constexpr int max_rows = 8;
  double sum[max_rows] = {};
  PERTURB_HD void merge(const Dots& other) {
    for (int k = 0; k < max_rows; ++k) sum[k] += other.sum[k];
  }
};

// Vectors are [fibers][K+1][3], the backend's; slot 0 of the unknowns is zero.
class Solver {
 public:
  // Queues T f and returns it.
  using Interaction = std::function<const double*(const double* f)>;

  // Throws Error when memory is short.
  Solver(Backend& backend, const Layout& layout);

  // Force coefficients of fibers with these unit tangents [fibers][3] and `weight_sums` of the weights. The result is
  // in solution(). Throws what `interaction` throws.
  Solve solve(const Balance& balance, const double* tangent, const double* weight_sums, const Interaction& interaction,
              double tolerance);
  const double* solution() const { return x_.data(); }

  static std::size_t bytes(const Layout& layout);

 private:
  int values() const { return 3 * (layout_.order + 1); }  // numbers of a fiber
  std::size_t length() const { return static_cast<std::size_t>(layout_.fibers) * static_cast<std::size_t>(values()); }
  double dot(const double* a, const double* b);
  // Sums over the fibers what `make(constants)` computes; queued, and with waiting for the sum.
  template <class Make>
  void start_sum(const char* label, Reduction<Dot>& dot, bool read_back, const Make& make);
  template <class Make>
  Dot sum_over_fibers(const char* label, const Make& make);
  void orthogonalise(int size, double* z, std::vector<double>& overlaps);
  void apply_operator(const Interaction& interaction, const double* p, double* q);
  Solve conjugate_gradients(const Interaction& interaction, double tolerance, double rz);
  Solve gmres(const Interaction& interaction, double tolerance);

  Backend& backend_;
  Layout layout_;
  Balance balance_;
  const double* tangent_ = nullptr;
  Array<double> x_, r_, z_, p_, q_, g_;
  Array<double> basis_;  // of GMRES; if the system is symmetric, allocated when first needed
  Reduction<Dot> dot_, curvature_;
  Reduction<Dots> dots_;
};

}  // namespace perturb::fibers
