// Interaction of all pairs of fibers: Theta, and products with it, on either backend.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/model/layout.h"

namespace perturb::fibers {

// Input of the interaction: pointers into the backend's memory, [fibers][3].
struct Poses {
  const double* position = nullptr;
  const double* tangent = nullptr;
  double box = 0;  // edge of the periodic box; 0: free space
  // For fibers of unequal length: half-lengths [fibers], and tangents times these. Null if all are 1: then kernels
  // without lengths are used.
  const double* half_length = nullptr;
  const double* half_axis = nullptr;
  bool unequal() const { return half_length != nullptr; }
  const double* half_axes() const { return unequal() ? half_axis : tangent; }
};

enum class FiberKernel {
  stable,     // closed forms from starts that do not cancel
  recursion,  // the paper's closed forms, and its launch
  nodes       // sums over nodes, no matrix (kernels/nodes.h)
};

// Consecutive tile pairs: the whole layout, or a part if the whole does not fit.
struct FiberPart {
  long long first = 0, count = 0;
};

// Theta_ml^{nk} of the pairs of `part`, n, k = 0..order, into `theta`, which begins with the first tile pair of the
// part. Entries of pairs outside the layout are not written: they stay zero. `points`: scratch for the kernel
// `recursion` on CUDA, of fiber_recursion_numbers; else empty.
template <class Real>
void fiber_interaction(Backend& backend, FiberKernel kernel, const FiberLayout& layout, FiberPart part,
                       const Poses& poses, const FiberRule& rule, double doublet, View1D<Real> points, Real* theta);

// Number of values that `recursion` on CUDA keeps between its two kernels: inner integrals at the outer points of some
// pairs.
std::size_t fiber_recursion_numbers(const FiberLayout& layout, int points);

// The sums over l of Theta_ml^{nk} f_l^k for the rows and columns of `product`, by tile pairs into `partials`
// (layout.partials(), at the place of each tile pair). f: [fibers][order + 1][3].
template <class Real>
void fiber_product(Backend& backend, FiberProduct product, const FiberLayout& layout, FiberPart part, const Real* theta,
                   const double* f, double* partials);

// Fibers per tile on this backend.
int fiber_tile(const Backend& backend);
// The order K of the kernels that compute N terms: 5 or 8.
inline int fiber_order(int terms) { return terms <= 5 ? 5 : 8; }

// Registers, block and occupancy of the interaction kernel on CUDA; zero on the CPU.
LaunchShape fiber_kernel_shape(const Backend& backend, FiberKernel kernel, int order, bool fp32);

namespace detail {

// Implementations: kernels/cpu.cpp and kernels/kernels.cu (or kernels/no_kernels.cpp).
template <class Real>
void fiber_interaction_cpu(Backend&, FiberKernel, const FiberLayout&, FiberPart, const Poses&, const FiberRule&, double,
                           Real*);
template <class Real>
void fiber_product_cpu(Backend&, FiberProduct, const FiberLayout&, FiberPart, const Real*, const double*, double*);
template <class Real>
void fiber_interaction_cuda(Backend&, FiberKernel, const FiberLayout&, FiberPart, const Poses&, const FiberRule&,
                            double, Real*);
// The paper's launch: a thread for each pair and outer point, over the triangle of pairs.
template <class Real>
void fiber_recursion_cuda(Backend&, const FiberLayout&, FiberPart, const Poses&, const FiberRule&, double,
                          View1D<Real> points, Real*);
template <class Real>
void fiber_product_cuda(Backend&, FiberProduct, const FiberLayout&, FiberPart, const Real*, const double*, double*);
LaunchShape fiber_shape_cuda(FiberKernel, int order, bool fp32);
int fiber_tile_cpu();

}  // namespace detail

}  // namespace perturb::fibers
