// `perturb verify --presets`: runs every preset as a window would, for long, and counts what must never happen.
#pragma once

#include "app/cli/options.h"

namespace perturb {

int soak_command(const VerifyOptions& options);

}  // namespace perturb
