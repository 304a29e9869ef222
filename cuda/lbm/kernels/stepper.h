// Taking steps: kernel choice, steps per pass over memory, and cost of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cuda/core/launch/launch_map.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/timing/kernel_choice.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// Input of a step.
struct Task {
  StepParams flow;  // current parameters
  int features;     // a Feature sum
  Storage storage;
  const std::string& preset;  // identifies the arrangement of the walls
  bool curved = false;        // the walls are curved
  bool moves = false;         // a body moves, so a pass has one step
};

// Kernels are given by their index in lbm_simulation().kernels.
class Stepper {
 public:
  explicit Stepper(Backend& backend);

  // Prepares the lattice for the kernel of this index, or for "auto" (no index), in this storage. Throws InputError
  // where the kernel uses another storage, Error when memory runs out.
  void prepare(Lattice& lattice, std::optional<std::size_t> kernel, Storage storage) const;

  // Distributes `count` steps among kernels (AutoKernel::run): take(steps, kernel) takes them, `task()` returns the
  // task before each slice.
  template <class Task, class Take>
  void run_timed(const std::string& kernel, std::int64_t count, const Task& task, const Take& take) {
    automatic_ = kernel == "auto";
    longest_ = {};
    auto_kernel_.run(
        kernel, count, [&] { return work(task()); }, take);
  }
  // Whether passes of this kernel compute the boundary populations of curved walls themselves. Otherwise, and if a body
  // moves, these are corrected before every step, and a pass has one step.
  bool computes_curved(const Task& task, std::size_t kernel) const;
  // Takes up to `steps` steps with one pass over memory; returns how many. `curved`: empty, or the curved walls if the
  // kernel computes them.
  int pass(const Task& task, const CurvedRows& curved, Lattice& lattice, MarkedBands& bands, std::int64_t steps,
           std::size_t kernel);

  // The result of the automatic choice, as text.
  Message text() const { return auto_kernel_.text(); }
  // Cost of a kernel by its id, or of "auto".
  StepCost cost(const std::string& kernel, const Task& task) const;
  LaunchShape launch_shape(const std::string& kernel, const Task& task) const;
  // How a kernel, or "auto", is launched for the longest of the last passes; before the first one, for the most steps.
  LaunchMap launch_map(const std::string& kernel, const Task& task, const Lattice& lattice,
                       const MarkedBands& bands) const;

 private:
  // A pass: the kernel that was chosen and the one that ran, and its steps.
  struct Pass {
    std::size_t chosen = 0, kernel = 0;
    int steps = 0;
  };
  std::size_t index_of(const std::string& kernel, const Task& task) const;
  bool steps_singly(const Task& task, std::size_t kernel) const;
  AutoKernel::Work work(const Task& task) const;

  Backend& backend_;
  AutoKernel auto_kernel_;
  Pass longest_;           // of the last call of run_timed
  bool automatic_ = true;  // auto_kernel_ chose the kernels of the current steps
};

}  // namespace perturb::lbm
