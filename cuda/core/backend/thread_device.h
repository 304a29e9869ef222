// Which device a thread speaks to.
#pragma once

#include "cuda/core/backend/backend.h"

namespace perturb {

// CUDA's device is each thread's own setting: called once by a thread that is to use a backend made on another one.
// Nothing for the CPU. Throws Error.
void use_device_here(const Backend& backend);

}  // namespace perturb
