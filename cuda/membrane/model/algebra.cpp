#include "cuda/membrane/model/algebra.h"

#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/membrane/model/kernels.h"
#include "cuda/membrane/model/sparse.h"

namespace perturb::membrane {

void membrane_apply(Backend& backend, const Space& space, const Matrix& matrix, const double* right, const double* x,
                    double* y) {
  const SpaceView& view = space.view();
  const double functions = view.most_functions();
  if (backend.is_cuda()) {
    cuda_rows(backend, "membrane.apply", view, matrix, right, const_cast<double*>(x), y, nullptr, view.count,
              static_cast<int>(functions), nullptr);  // x is written only with an inverse
    return;
  }
  parallel_tasks(backend, "membrane.apply", Tasks{view.count, static_cast<int>(functions), 18 * functions * functions},
                 ApplyMatrix{view, matrix, right, x, y, nullptr});
}

namespace {
Range2D runs(std::int64_t size) { return {1024, static_cast<int>((size + 1023) / 1024)}; }
}  // namespace

double Vectors::dot(std::int64_t size, const double* x, const double* y) {
  dot_.start("membrane.dot", runs(size), DotOf{size, x, y});
  dot_.wait();
  return dot_.result().sum;
}

std::array<double, max_dots> Vectors::dots(std::int64_t size, std::initializer_list<VectorPair> pairs) {
  PERTURB_ASSERT(pairs.size() <= max_dots);
  DotsOf body{size, static_cast<int>(pairs.size()), {}};
  std::copy(pairs.begin(), pairs.end(), body.pairs);
  dots_.start("membrane.dots", runs(size), body);
  dots_.wait();
  const Dots result = dots_.result();
  std::array<double, max_dots> sums{};
  std::copy_n(result.sums, pairs.size(), sums.begin());
  return sums;
}

void Vectors::combine(std::int64_t size, double a, const double* u, double b, const double* v, double c,
                      const double* w, double* to) {
  parallel_for(backend_, "membrane.combine", runs(size), Combine{size, a, b, c, u, v, w, to});
}

}  // namespace perturb::membrane
