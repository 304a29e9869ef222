// Stands in for particles_kernels.cu in builds without CUDA, where nobody calls it.
#include "cuda/core/check.h"
#include "cuda/particles/particles_kernels.h"

namespace perturb {

namespace {
[[noreturn]] void refuse() { throw Error("This program was built without CUDA: its kernels are not in it."); }
}  // namespace

template <class Real, bool contract>
void find_least_by_warp(Backend&, const FindLeast<Real, contract>&, int) {
  refuse();
}
template <class Real, bool contract>
void choose_again_by_warp(Backend&, const ChooseAgain<Real, contract>&, int) {
  refuse();
}
template <class Real, bool contract>
void finish_rounds(Backend&, const FindLeast<Real, contract>&, unsigned char*, int*, int*, StepControl*, int) {
  refuse();
}
template <class Real, bool contract>
void check_all_pairs(Backend&, const CheckPairs<Real, contract>&, int) {
  refuse();
}

template void find_least_by_warp(Backend&, const FindLeast<float, false>&, int);
template void find_least_by_warp(Backend&, const FindLeast<float, true>&, int);
template void find_least_by_warp(Backend&, const FindLeast<double, false>&, int);
template void find_least_by_warp(Backend&, const FindLeast<double, true>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<float, false>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<float, true>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<double, false>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<double, true>&, int);
template void finish_rounds(Backend&, const FindLeast<float, false>&, unsigned char*, int*, int*, StepControl*, int);
template void finish_rounds(Backend&, const FindLeast<float, true>&, unsigned char*, int*, int*, StepControl*, int);
template void finish_rounds(Backend&, const FindLeast<double, false>&, unsigned char*, int*, int*, StepControl*, int);
template void finish_rounds(Backend&, const FindLeast<double, true>&, unsigned char*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<float, false>&, int);
template void check_all_pairs(Backend&, const CheckPairs<float, true>&, int);
template void check_all_pairs(Backend&, const CheckPairs<double, false>&, int);
template void check_all_pairs(Backend&, const CheckPairs<double, true>&, int);

LaunchShape particles_find_shape(bool, bool, bool) { return {}; }
LaunchShape particles_pairs_shape(bool, bool, int) { return {}; }

}  // namespace perturb
