// Interaction of all pairs of fibers as a matrix of tiles: stored between products, or recomputed in each.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Fills a whole stored matrix instead of the kernel, zeros for entries without a pair.
using ExternalMatrix =
    std::function<void(const Layout&, const Poses&, const FiberRule&, double doublet, double* theta)>;

class Matrix {
 public:
  // `stored`: whether it is kept between the products of an evaluation. Throws Error when memory is short.
  Matrix(Backend& backend, const Layout& layout, const FiberRule& rule, const Parameters& parameters, Kernel kernel,
         bool stored);

  // Releases the memory, so that two matrices are never in memory at once; the next take() allocates it again.
  void release();
  void take();
  // Interaction of fibers at `places`, which must stay valid until the last product. Queued.
  void prepare(const Poses& poses, double doublet);
  // Product with the coefficients `f`, as sums [fibers][K+1][3]. Queued.
  void product(Product product, const double* f, double* sums);

  // From now on the interaction is computed elsewhere: for a stored matrix in double precision.
  void set_external_matrix(ExternalMatrix external_matrix);

  // Of the matrix if it is stored, else 0.
  std::size_t stored_bytes() const;
  // Bytes that an object takes on a backend with tiles of `layout`.
  static std::size_t bytes(const Layout& layout, const Parameters& parameters, Kernel kernel, bool stored);

  // Theta of one pair as [(K+1)²][6], for tests; needs a stored matrix that has been prepared.
  std::vector<double> tensors(int m, int l) const;

 private:
  void compute(Part part);
  void multiply(Product product, Part part, const double* f);

  Backend& backend_;
  Layout layout_;
  FiberRule rule_;
  bool fp32_, stored_;
  Kernel kernel_;
  ExternalMatrix external_matrix_;  // usually none
  Poses poses_;
  double doublet_ = 0;
  Part scratch_;                      // how many tile pairs the buffer holds
  Array<double> theta64_, points64_;  // points: intermediate results of the launch of `recursion`
  Array<float> theta32_, points32_;
  Array<double> partials_;
};

}  // namespace perturb::fibers
