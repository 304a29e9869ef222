// Replaces the .cu files in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/fibers/model/extension.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/nodes.h"

namespace perturb::fibers::detail {

template <class Real>
void interaction_cuda(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, Real*) {
  no_kernels();
}
template <class Real>
void recursion_cuda(Backend&, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<Real>, Real*) {
  no_kernels();
}
template <class Real>
void node_sums_cuda(Backend&, const NodeView<Real>&, int, double*) {
  no_kernels();
}
template <class Real>
void pair_tensors_cuda(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, Real*) {
  no_kernels();
}
template <class Real>
void product_cuda(Backend&, Product, const Layout&, Part, const Real*, const double*, double*) {
  no_kernels();
}
void extension_cuda(Backend&, const PaperGrid&, const Poses&, const FiberRule&, double, std::size_t, double*, double*) {
  no_kernels();
}
LaunchShape extension_shape_cuda() { return {}; }
LaunchShape shape_cuda(Kernel, int, bool) { return {}; }
LaunchShape node_shape_cuda(bool) { return {}; }
void far_sums_cuda(Backend&, const FarView&, double*) { no_kernels(); }
LaunchShape far_shape_cuda() { return {}; }

template void interaction_cuda(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, double*);
template void interaction_cuda(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, float*);
template void recursion_cuda(Backend&, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<double>,
                             double*);
template void recursion_cuda(Backend&, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<float>,
                             float*);
template void node_sums_cuda(Backend&, const NodeView<double>&, int, double*);
template void node_sums_cuda(Backend&, const NodeView<float>&, int, double*);
template void pair_tensors_cuda(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, double*);
template void pair_tensors_cuda(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, float*);
template void product_cuda(Backend&, Product, const Layout&, Part, const double*, const double*, double*);
template void product_cuda(Backend&, Product, const Layout&, Part, const float*, const double*, double*);

}  // namespace perturb::fibers::detail
