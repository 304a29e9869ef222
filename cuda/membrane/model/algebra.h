// Vectors of unknowns and block matrices: their products and sums, on either backend.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "cuda/core/loops/reduce.h"
#include "cuda/membrane/model/cover.h"

namespace perturb::membrane {

// A matrix as kernels use it: blocks a + shift·b (b may be null).
struct Matrix {
  const double *a = nullptr, *b = nullptr;
  double shift = 0;
};

// y = A x, or right - A x if there is a right-hand side, in this space. Queued.
void membrane_apply(Backend& backend, const Space& space, const Matrix& matrix, const double* right, const double* x,
                    double* y);

struct Dot {
  double sum = 0;
  PERTURB_HD void merge(const Dot& other) { sum += other.sum; }
};

// Several inner products of one pass.
constexpr int max_dots = 8;
struct Dots {
  double sums[max_dots] = {};
  PERTURB_HD void merge(const Dots& other) {
    for (int k = 0; k < max_dots; ++k) sums[k] += other.sums[k];
  }
};
struct VectorPair {
  const double *u = nullptr, *v = nullptr;
};

// Operations on vectors of `size` numbers in the backend's memory.
class Vectors {
 public:
  explicit Vectors(Backend& backend) : backend_(backend), dot_(backend), dots_(backend) {}

  // Waits for the device.
  double dot(std::int64_t size, const double* x, const double* y);
  // u·v of at most max_dots pairs, each with the bits of dot(), in one pass. Waits for the device once.
  std::array<double, max_dots> dots(std::int64_t size, std::initializer_list<VectorPair> pairs);
  // to = a u + b v + c w; v and w may be null. Queued.
  void combine(std::int64_t size, double a, const double* u, double b, const double* v, double c, const double* w,
               double* to);

 private:
  Backend& backend_;
  Reduction<Dot> dot_;
  Reduction<Dots> dots_;
};

}  // namespace perturb::membrane
