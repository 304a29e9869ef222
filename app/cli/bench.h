// Times the kernels of a simulation against each other and against this machine's roofline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/options.h"
#include "cuda/core/bench/roofline.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// One row: a kernel on a grid on a backend. docs/json.md explains each.
struct BenchResult {
  std::string simulation, kernel, backend, device, precision;
  std::string scene;  // the one that was timed, "lbm/taylor-green"
  Size size;
  int threads = 1;
  std::int64_t steps = 0;  // in each timed group
  int groups = 0;
  double seconds_per_step = 0, least_seconds_per_step = 0;  // median and minimum of the groups
  double rate = 0;
  std::string rate_unit;
  double bytes_per_step = 0, flops_per_step = 0;
  double roofline_fraction = 0;
  double difference_from_reference = 0;
  std::string reference;  // the kernel compared with
  Size difference_size;   // the grid on which they were compared
  LaunchShape shape;
  std::size_t memory_bytes = 0;
  Roofline roof;
};

// The scene that is timed where only the simulation is named: its first preset, which is what a user sees first, or,
// where nothing moves in that, another one (SimulationInfo::timed_preset).
std::string timed_scene(const SimulationInfo& info);

// Times `kernel` on `backend`: groups of steps that take at least 0.2 s each (or `steps` of them), after a warm-up.
// `scene`: which preset ("lbm/taylor-green"); empty: timed_scene(). Throws InputError when the grid does not
// fit or there is no such kernel.
BenchResult time_kernel(Backend& backend, const SimulationInfo& info, const std::string& kernel, Size size,
                        std::optional<std::int64_t> steps, const Roofline& roof, const std::string& scene = "");

}  // namespace perturb
