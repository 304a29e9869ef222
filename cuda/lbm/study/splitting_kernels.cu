// Registers and occupancy of the kernels of figures 1 and 2, as the loops of study/splitting.cpp launch them.
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/lbm/study/splitting.h"

namespace perturb::lbm {

namespace {

constexpr unsigned threads_of_block = 256;  // as in parallel_for

template <class Loop>
LaunchShape shape_of() {
  return cuda_launch_shape(reinterpret_cast<const void*>(perturb::detail::run_functor_1d<Loop>),
                           dim3(threads_of_block));
}

template <BranchKind kind>
LaunchShape shape_of_part(BranchPart part) {
  return part == BranchPart::both      ? shape_of<Branches<kind, BranchPart::both>>()
         : part == BranchPart::only_if ? shape_of<Branches<kind, BranchPart::only_if>>()
                                       : shape_of<Branches<kind, BranchPart::only_else>>();
}

}  // namespace

LaunchShape shape_of_loops(bool split) {
  return split ? shape_of<SumsOfLoops<true>>() : shape_of<SumsOfLoops<false>>();
}

LaunchShape shape_of_branches(BranchKind kind, BranchPart part) {
  return kind == BranchKind::different ? shape_of_part<BranchKind::different>(part)
                                       : shape_of_part<BranchKind::equal>(part);
}

}  // namespace perturb::lbm
