// Replaces splitting_kernels.cu in builds without CUDA.
#include "cuda/lbm/study/splitting.h"

namespace perturb::lbm {

LaunchShape shape_of_loops(bool) { return {}; }
LaunchShape shape_of_branches(BranchKind, BranchPart) { return {}; }

}  // namespace perturb::lbm
