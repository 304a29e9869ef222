// The options of a run: scene, window, view and what is written without a window.
#pragma once

#include "app/cli/option_set.h"

namespace perturb {

// `run` gets the values, and must live until options.finish().
void add_run_options(OptionSet& options, RunOptions& run);
// Throws InputError where two of them contradict each other.
void check_run(const RunOptions& run);

}  // namespace perturb
