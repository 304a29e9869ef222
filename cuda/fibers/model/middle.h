// Point that an image of the fibers follows: the middle of those that stay together. Fibers lost in the wake would drag
// the mean of all far behind.
#pragma once

#include <vector>

#include "cuda/core/math/vector3.h"

namespace perturb::fibers {

// Mean of the fibers at `position`, [fibers][3], that are nearer than `reach` to the median of all; for few fibers,
// which have no stragglers, the mean of all.
Vector3<double> fiber_middle(const std::vector<double>& position, double reach);
// The mean velocity of the same fibers; `velocity`: [fibers][3].
Vector3<double> fiber_middle_velocity(const std::vector<double>& position, const std::vector<double>& velocity,
                                      double reach);

}  // namespace perturb::fibers
