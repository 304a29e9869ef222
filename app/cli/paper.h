// `perturb bench SIM --sources`: repeats every measurement of the simulation's paper.
#pragma once

#include "app/cli/options.h"

namespace perturb {

// Runs the studies of the paper one after the other and prints the progress on the error stream. After each study it
// writes the results so far: the page with its images, and the numbers. If stopped (Ctrl+C), it keeps the results so
// far and returns 1. Throws InputError.
int paper_command(const BenchOptions& options);

}  // namespace perturb
