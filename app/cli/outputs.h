// Checks the output files of a run before it starts.
#pragma once

#include "app/cli/options.h"

namespace perturb {

// Throws InputError unless every output can be written and no two are the same file under different names. Called
// before the run starts, so that no computed result is lost.
void require_outputs(const RunOptions& options);

}  // namespace perturb
