// Taking steps: kernel choice, steps per pass over memory, and cost of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/timing/kernel_choice.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/model/surface.h"

namespace perturb::wave {

// Kernels are given by their index in wave_simulation().kernels.
template <class Real>
class Stepper {
 public:
  Stepper(Backend& backend, int width, int height, Stencil stencil);

  // Throws InputError if this kernel cannot run on a tank of this size.
  void require(std::size_t kernel) const;

  // Distributes `count` steps among kernels (AutoKernel::run): take(steps, kernel) takes them, tank() returns the step
  // parameters before each slice.
  template <class Tank, class Take>
  void run_timed(const std::string& kernel, std::int64_t count, const Tank& tank, const Take& take) {
    automatic_ = kernel == "auto";
    longest_ = {};
    auto_kernel_.run(
        kernel, count, [&] { return work(tank()); }, take);
  }
  // Takes up to `steps` steps, for which `tank` is valid, in one pass over memory; returns the number taken.
  int pass(const StepParams<Real>& tank, Surface<Real>& surface, int steps, std::size_t kernel);

  // The result of the automatic choice, as text.
  Message text() const { return auto_kernel_.text(); }
  // Cost of a kernel by its id, or of "auto".
  StepCost cost(const std::string& kernel, const StepParams<Real>& tank) const;
  LaunchShape launch_shape(const std::string& kernel, const StepParams<Real>& tank) const;
  // How a kernel, or "auto", is launched for the longest of the last passes; before the first one, for the most steps.
  LaunchMap launch_map(const std::string& kernel, const StepParams<Real>& tank) const;
  // The blocks of `fused` on CUDA, if the user has chosen this kernel: `auto` compares the kernels as they are.
  void set_loop_block(LoopBlock block) { loop_block_ = block; }

 private:
  // A pass: the kernel that was chosen and the one that ran, and its steps.
  struct Pass {
    std::size_t chosen = 0, kernel = 0;
    int steps = 0;
  };
  int max_steps(std::size_t kernel) const;
  std::size_t index_of(const std::string& kernel, const StepParams<Real>& tank) const;
  AutoKernel::Work work(const StepParams<Real>& tank) const;

  Backend& backend_;
  int width_, height_;
  Stencil stencil_;
  AutoKernel auto_kernel_;
  LoopBlock loop_block_;
  bool automatic_ = true;            // auto_kernel_ chose the kernels of the current steps
  std::vector<int> steps_per_pass_;  // by kernel; 0: it cannot run here
  Pass longest_;                     // of the last call of run_timed
};

extern template class Stepper<float>;
extern template class Stepper<double>;

}  // namespace perturb::wave
