// What can be shown, and the kernels of the laboratory, in the words of the menus.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

// By its id; the first where none is given. Throws InputError that lists what there is or names the nearest.
Shown shown_quantity(const std::string& id);

// In the order of Shown.
const std::vector<Quantity>& lbm_quantities();
// In the order of kernels/stepper.cpp; the first is what the others are compared with.
const std::vector<KernelVariant>& kernel_variants();

}  // namespace perturb::lbm
