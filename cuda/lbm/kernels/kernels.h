// The ways to take a step, by the names of the kernel laboratory.
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

// Takes that many steps in FP32 storage, queued. Returns whether the result lies in `to` (else in `from`);
// `in_place` leaves it in `from` and needs no `to`. All give the bits of cell_step. `features`: a Feature
// sum. `bands`: for `temporal`.
bool run_kernel(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
                const Populations<float>& to, int features, int steps, MarkedBands& bands);
// One step in 16-bit storage.
void run_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
              int features);

// What lies in .cu files. In builds without CUDA kernels/no_kernels.cpp stands in, and none of these is reached.
// A step with `unsplit`, `split` or `fused`.
void cuda_step(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
               const Populations<float>& to, int features);
void cuda_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
               int features);
// Registers, block and occupancy of what would run on the device.
LaunchShape kernel_shape(Kernel kernel, const StepParams& params, int features);
// The source's kernels one by one.
struct PartShape {
  std::string kernel, part;  // "split", "if-kernel"
  LaunchShape shape;
};
std::vector<PartShape> split_shapes(int features);

}  // namespace perturb::lbm
