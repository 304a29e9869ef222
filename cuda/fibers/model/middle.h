// What a picture of the fibers follows: the middle of those that stay together. What is lost in the wake would drag the
// mean of all far behind.
#pragma once

#include <vector>

#include "cuda/core/math/vector3.h"

namespace perturb::fibers {

// Of fibers at `position`, [fibers][3], the mean of those nearer than `reach` to the median of all; of a few fibers,
// none of whom is a straggler, that of all.
Vector3<double> fiber_middle(const std::vector<double>& position, double reach);
// The mean velocity of the same fibers; `velocity`: [fibers][3].
Vector3<double> fiber_middle_velocity(const std::vector<double>& position, const std::vector<double>& velocity,
                                      double reach);

}  // namespace perturb::fibers
