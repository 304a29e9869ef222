// Taking steps: which kernel, how many steps with one pass over memory, and what they cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cuda/core/bench/kernel_choice.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/temporal.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// What steps are taken with.
struct Task {
  StepParams flow;  // of this moment
  int features;     // a Feature sum
  Storage storage;
  const std::string& preset;  // stands for how the walls lie
  bool single = false;        // something is done between steps, so that a pass is of one
};

// Kernels are named by their place in lbm_simulation().kernels.
class Stepper {
 public:
  explicit Stepper(Backend& backend);

  // Makes the lattice ready for a kernel of this place, or for "auto" (no place), in this storage. Throws InputError
  // where the kernel computes on another one, Error when memory runs out.
  void prepare(Lattice& lattice, std::optional<std::size_t> kernel, Storage storage) const;

  // Shares `count` steps out among kernels (AutoKernel::run): take(steps, kernel) takes them, `task()` is of the moment
  // before each turn.
  template <class Task, class Take>
  void run_timed(const std::string& kernel, std::int64_t count, const Task& task, const Take& take) {
    automatic_ = kernel == "auto";
    auto_kernel_.run(
        kernel, count, [&] { return work(task()); }, take);
  }
  // Takes up to `steps` steps with one pass over memory; returns how many.
  int pass(const Task& task, Lattice& lattice, MarkedBands& bands, std::int64_t steps, std::size_t kernel);

  // What automatic choice found, in a sentence.
  std::string text() const { return auto_kernel_.text(); }
  // Of a kernel by its id, or "auto".
  StepCost cost(const std::string& kernel, const Task& task) const;
  LaunchShape launch_shape(const std::string& kernel, const Task& task) const;

 private:
  std::size_t place_of(const std::string& kernel, const Task& task) const;
  AutoKernel::Work work(const Task& task) const;

  Backend& backend_;
  AutoKernel auto_kernel_;
  bool automatic_ = true;  // the steps under way were shared out by auto_kernel_
};

}  // namespace perturb::lbm
