#include "app/cli/memory_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/main_memory.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Like format_bytes, for sizes beyond any machine.
std::string format_memory(double bytes) {
  if (bytes < 1e18) return format_bytes(static_cast<std::size_t>(bytes));
  char text[40];
  std::snprintf(text, sizeof text, "%.3g EiB", bytes / std::pow(1024, 6));
  return text;
}

// If the setup has no size, the simulation's parameters (a count of discs) or its default determine it.
bool has_size(const Setup& setup) { return setup.width > 0 && setup.height > 0; }

}  // namespace

double memory_estimate(const SimulationInfo& info, const Setup& setup, const Backend& backend) {
  if (!has_size(setup)) return static_cast<double>(info.memory_needed(backend, setup));
  Setup whole = setup;
  // Beyond this many cells (which need gigabytes) a simulation may refuse to count, or the count may overflow: scale up
  // from this size.
  constexpr int side = 16384;
  constexpr double most_cells = static_cast<double>(side) * side;
  const double cells = static_cast<double>(whole.width) * whole.height;
  if (cells <= most_cells) return static_cast<double>(info.memory_needed(backend, whole));
  whole.width = whole.height = side;
  return static_cast<double>(info.memory_needed(backend, whole)) * (cells / most_cells);
}

void require_memory(const SimulationInfo& info, const Setup& setup, const Backend& backend, bool saves) {
  const double run = memory_estimate(info, setup, backend);
  const double saving = saves ? memory_to_save(info, setup, run) : 0;
  // Only the run is in the device's memory; the file is built in main memory.
  const double in_main_memory = static_cast<double>(main_memory().free);
  if (saves && backend.is_cuda() && saving > in_main_memory)
    throw InputError("To save a " + info.id + " of " + std::to_string(setup.width) + " x " +
                     std::to_string(setup.height) + " (--save) takes " + format_memory(saving) +
                     " of main memory, and " + format_memory(in_main_memory) +
                     " are free. Choose a smaller size (--size), or leave --save away.");
  const double needed = backend.is_cuda() ? run : run + saving;
  // Memory in use by another program may become free, but a size beyond the total can be rejected at once.
  const double total = static_cast<double>(backend.total_memory()), free = static_cast<double>(backend.free_memory());
  if (needed <= free) return;
  const std::string there = format_memory(needed) + " of memory" + (needed > run ? " with its saving at the end" : "") +
                            ", and " + backend.device_name() + " has " + format_memory(total) + ", of which " +
                            format_memory(free) + " are free. ";
  if (!has_size(setup))
    throw InputError("A run of " + info.id + " as it is set up needs " + there +
                     "Choose a smaller size (--size), or parameters that ask for less (--set).");
  Setup fitting = setup;
  const double shrink = std::sqrt(0.8 * free / needed);
  fitting.width = std::max(1, static_cast<int>(fitting.width * shrink) / 64 * 64);
  fitting.height = std::max(1, static_cast<int>(fitting.height * shrink) / 64 * 64);
  throw InputError("A " + info.id + " of " + std::to_string(setup.width) + " x " + std::to_string(setup.height) +
                   " needs " + there + "Choose a smaller size, such as --size " + std::to_string(fitting.width) + "x" +
                   std::to_string(fitting.height) + ".");
}

}  // namespace perturb
