// `perturb bench SIM --sources`: everything that the simulation's published work measured, measured again.
#pragma once

#include "app/cli/options.h"

namespace perturb {

// Runs the studies of the source one after the other, and tells on the error stream how far it is. After each, what has
// been found is written again: the page with its pictures, and the numbers. Stopped (Ctrl+C), it keeps what it has and
// returns 1. Throws InputError.
int paper_command(const BenchOptions& options);

}  // namespace perturb
