// The current device of a thread.
#pragma once

#include "cuda/core/backend/backend.h"

namespace perturb {

// CUDA's current device is a setting of each thread. A thread that uses a backend made on another thread calls this
// once. Does nothing on the CPU. Throws Error.
void use_device_here(const Backend& backend);

}  // namespace perturb
