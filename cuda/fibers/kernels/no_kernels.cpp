// Replaces the .cu files in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/fibers/model/extension.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/nodes.h"

namespace perturb::fibers::detail {

template <class Real>
void fiber_interaction_cuda(Backend&, FiberKernel, const FiberLayout&, FiberPart, const Poses&, const FiberRule&,
                            double, Real*) {
  no_kernels();
}
template <class Real>
void fiber_recursion_cuda(Backend&, const FiberLayout&, FiberPart, const Poses&, const FiberRule&, double, View1D<Real>,
                          Real*) {
  no_kernels();
}
template <class Real>
void fiber_node_sums_cuda(Backend&, const NodeView<Real>&, int, double*) {
  no_kernels();
}
template <class Real>
void fiber_pair_tensors_cuda(Backend&, const FiberPair*, int, int, const Poses&, const FiberRule&, double, Real*) {
  no_kernels();
}
template <class Real>
void fiber_product_cuda(Backend&, FiberProduct, const FiberLayout&, FiberPart, const Real*, const double*, double*) {
  no_kernels();
}
void fiber_extension_cuda(Backend&, const PaperGrid&, const Poses&, const FiberRule&, double, std::size_t, double*,
                          double*) {
  no_kernels();
}
LaunchShape fiber_extension_shape_cuda() { return {}; }
LaunchShape fiber_shape_cuda(FiberKernel, int, bool) { return {}; }
LaunchShape fiber_node_shape_cuda(bool) { return {}; }

template void fiber_interaction_cuda(Backend&, FiberKernel, const FiberLayout&, FiberPart, const Poses&,
                                     const FiberRule&, double, double*);
template void fiber_interaction_cuda(Backend&, FiberKernel, const FiberLayout&, FiberPart, const Poses&,
                                     const FiberRule&, double, float*);
template void fiber_recursion_cuda(Backend&, const FiberLayout&, FiberPart, const Poses&, const FiberRule&, double,
                                   View1D<double>, double*);
template void fiber_recursion_cuda(Backend&, const FiberLayout&, FiberPart, const Poses&, const FiberRule&, double,
                                   View1D<float>, float*);
template void fiber_node_sums_cuda(Backend&, const NodeView<double>&, int, double*);
template void fiber_node_sums_cuda(Backend&, const NodeView<float>&, int, double*);
template void fiber_pair_tensors_cuda(Backend&, const FiberPair*, int, int, const Poses&, const FiberRule&, double,
                                      double*);
template void fiber_pair_tensors_cuda(Backend&, const FiberPair*, int, int, const Poses&, const FiberRule&, double,
                                      float*);
template void fiber_product_cuda(Backend&, FiberProduct, const FiberLayout&, FiberPart, const double*, const double*,
                                 double*);
template void fiber_product_cuda(Backend&, FiberProduct, const FiberLayout&, FiberPart, const float*, const double*,
                                 double*);

}  // namespace perturb::fibers::detail
