// Replaces the .cu files in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/particles/kernels/kernels.h"

namespace perturb::particles {

template <class Real, bool contract>
void find_least_by_warp(Backend&, const FindLeast<Real, contract>&) {
  no_kernels();
}
template <class Real, bool contract>
void decide_again_by_warp(Backend&, const FindLeast<Real, contract>&, const WaitingLists&) {
  no_kernels();
}
template <class Real, bool contract>
void finish_deciding(Backend&, const FindLeast<Real, contract>&, int*, int*, int*, StepControl*, int) {
  no_kernels();
}
template <class Real, bool contract>
void check_all_pairs(Backend&, const CheckPairs<Real, contract>&, const PairsLaunch&) {
  no_kernels();
}
bool tiles_available(const Backend&) { return false; }
template <class Real, bool contract>
void find_by_tiles(Backend&, const TileSearch<Real>&) {
  no_kernels();
}

template void find_least_by_warp(Backend&, const FindLeast<float, false>&);
template void decide_again_by_warp(Backend&, const FindLeast<float, false>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<float, false>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<float, false>&, const PairsLaunch&);
template void find_by_tiles<float, false>(Backend&, const TileSearch<float>&);
template void find_least_by_warp(Backend&, const FindLeast<float, true>&);
template void decide_again_by_warp(Backend&, const FindLeast<float, true>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<float, true>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<float, true>&, const PairsLaunch&);
template void find_by_tiles<float, true>(Backend&, const TileSearch<float>&);
template void find_least_by_warp(Backend&, const FindLeast<double, false>&);
template void decide_again_by_warp(Backend&, const FindLeast<double, false>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<double, false>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<double, false>&, const PairsLaunch&);
template void find_by_tiles<double, false>(Backend&, const TileSearch<double>&);
template void find_least_by_warp(Backend&, const FindLeast<double, true>&);
template void decide_again_by_warp(Backend&, const FindLeast<double, true>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<double, true>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<double, true>&, const PairsLaunch&);
template void find_by_tiles<double, true>(Backend&, const TileSearch<double>&);

LaunchShape particles_find_shape(bool, bool, bool) { return {}; }
LaunchShape particles_pairs_shape(bool, bool, int) { return {}; }
LaunchShape tiles_shape(bool, bool) { return {}; }

}  // namespace perturb::particles
