// The options of a run: scene, window, view and the files written without a window.
#pragma once

#include "app/cli/option_set.h"

namespace perturb {

// The values are stored in `run`, which must outlive options.finish().
void add_run_options(OptionSet& options, RunOptions& run);
// Throws InputError if two of them contradict each other.
void check_run(const RunOptions& run);

}  // namespace perturb
