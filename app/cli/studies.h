// Runs the studies of simulations and prints their results.
#pragma once

#include <string>

#include "app/cli/options.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// `perturb bench SIM --ID`. Throws InputError if the simulation has no such study.
int study_command(const BenchOptions& options);
// Runs the studies that belong to a plain `perturb bench SIM`, after its kernels.
void print_standard_studies(Backend& backend, const SimulationInfo& info, const Setup& setup);

}  // namespace perturb
