// The flow's kernels, selected by their names in the kernel laboratory.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/temporal.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

enum class Kernel { unsplit, split, fused, half, in_place, temporal };

// How many of `wanted` steps (>= 1) the next call of this kernel takes.
int kernel_steps(const Backend& backend, Kernel kernel, const StepParams& params, int wanted);

// Queues that many steps in FP32 storage. Returns whether the result is in `to` (else in `from`);
// `in_place` leaves it in `from` and needs no `to`. All are bit-identical to cell_step. `features`: a Feature
// sum. `bands`: for `temporal`.
bool run_kernel(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
                const Populations<float>& to, int features, int steps, MarkedBands& bands);
// One step in 16-bit storage.
void run_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
              int features);

// Functions defined in .cu files. Builds without CUDA link kernels/no_kernels.cpp instead, and none of these is called.
//
// A step with `unsplit`, `split` or `fused`.
void cuda_step(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
               const Populations<float>& to, int features);
void cuda_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
               int features);
// Registers, block size and occupancy of the kernel that would run on the device.
LaunchShape kernel_shape(Kernel kernel, const StepParams& params, int features);
// One of the parts that make up the paper's kernels.
struct PartShape {
  std::string kernel, part;  // "split", "if-kernel"
  LaunchShape shape;
};
std::vector<PartShape> split_shapes(int features);

}  // namespace perturb::lbm
