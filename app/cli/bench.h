// Times the kernels of a simulation and compares them with each other and with this machine's roofline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/options.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/timing/roofline.h"

namespace perturb {

// One row: a kernel on a grid on a backend. docs/json.md explains each member.
struct BenchResult {
  std::string simulation, kernel, backend, device, precision;
  std::string scene;  // the timed scene, "lbm/taylor-green"
  Size size;
  int threads = 1;
  std::int64_t steps = 0;  // in each timed group
  int groups = 0;
  double seconds_per_step = 0, min_seconds_per_step = 0;  // median and minimum of the groups
  double rate = 0;
  std::string rate_unit;
  double bytes_per_step = 0, flops_per_step = 0;
  double roofline_fraction = 0;
  double difference_from_reference = 0;
  std::string reference;  // the kernel that the result is compared with
  Size difference_size;   // the grid of that comparison
  LaunchShape shape;
  std::size_t memory_bytes = 0;
  Roofline roof;
};

// The scene that is timed if only the simulation is named: its first preset, which users see first, or another one if
// nothing moves in that (SimulationInfo::timed_preset).
std::string timed_scene(const SimulationInfo& info);

// Times `kernel` on `backend`: after a warm-up, groups of steps that take at least 0.2 s each (or groups of `steps`).
// `scene`: the preset ("lbm/taylor-green"); empty: timed_scene(). Throws InputError if the grid does not fit or the
// kernel does not exist.
BenchResult time_kernel(Backend& backend, const SimulationInfo& info, const std::string& kernel, Size size,
                        std::optional<std::int64_t> steps, const Roofline& roof, const std::string& scene = "");

// `perturb bench --presets`.
int bench_presets(const BenchOptions& options);

// `perturb bench serve`.
int bench_serve(const BenchOptions& options);

}  // namespace perturb
