// The scene of a run, changed by its options.
#pragma once

#include "app/cli/options.h"
#include "app/run/run.h"

namespace perturb {

// Applies the options of a run that change its scene: size, seed, parameters, lanes, view. Throws InputError.
void apply_options(const RunOptions& options, Scene& scene);

}  // namespace perturb
