// The subcommands that run studies and print their results.
#pragma once

#include <string>

#include "app/cli/options.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// `perturb bench SIM --ID`. Throws InputError if the simulation has no such study.
int study_command(const BenchOptions& options);
// Runs the studies that belong to a plain `perturb bench SIM`, after its kernels.
void print_standard_studies(Backend& backend, const SimulationInfo& info, const Setup& setup);

// `perturb bench SIM --paper`: repeats every measurement of the simulation's paper. Runs its studies one after the
// other and prints the progress on the error stream. After each study it writes the results so far: the page with its
// images, and the numbers. If stopped (Ctrl+C), it keeps the results so far and returns 1. Throws InputError.
int paper_command(const BenchOptions& options);

}  // namespace perturb
