// The files that a run is asked to write.
#pragma once

#include "app/cli/options.h"

namespace perturb {

// Throws InputError unless every one of them can be written, and no two are one file by whatever names: checked before
// a run starts, so that no hour of computing ends at a closed door.
void require_outputs(const RunOptions& options);

}  // namespace perturb
