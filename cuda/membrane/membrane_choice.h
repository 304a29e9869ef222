// Which kernel assembles fastest on this device.
#pragma once

#include "cuda/core/backend.h"
#include "cuda/membrane/membrane_assembly.h"

namespace perturb::membrane {

// Of `tensor` and `rows`, for uniform covers of this degree: measured on a small cover, once for each device and degree
// (core/kernel_choice.h). They differ in rounding, so the run itself takes no part in it.
Kernel fastest_kernel(Backend& backend, int degree);

}  // namespace perturb::membrane
