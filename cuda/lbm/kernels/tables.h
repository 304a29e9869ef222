// Quantities and kernels of the flow, with their texts for menus.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

// The quantity with this id; the first if the id is empty. Throws InputError that lists the ids or suggests the
// nearest.
Shown shown_quantity(const std::string& id);

// In the order of Shown.
const std::vector<Quantity>& lbm_quantities();
// In the order of kernels/stepper.cpp; the first is the reference.
const std::vector<KernelVariant>& kernel_variants();

}  // namespace perturb::lbm
