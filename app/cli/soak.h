// `perturb verify --presets`: runs every preset as a window would, for a long time, and counts failures.
#pragma once

#include "app/cli/options.h"

namespace perturb {

int soak_command(const VerifyOptions& options);

}  // namespace perturb
