// One evaluation of given fibers, for checks, studies and tests.
#pragma once

#include <vector>

#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

struct Evaluation {
  std::vector<double> velocity, spin, coefficients;  // [fibers][3], [fibers][3], [fibers][N][3]
  std::vector<double> tensors;                       // of the pair 0, 1: [(K+1)²][6], if requested
  Solve solve;
};

// With `tensors` the kernel must be one that stores them.
Evaluation evaluate_fibers(Backend& backend, const Placement& fibers, const Parameters& parameters,
                           Kernel kernel = Kernel::stable, bool tensors = false);

// Parameters with a tolerance below the effect of rounding.
Parameters precise_fibers();
// A ball of fibers around the origin.
Placement fiber_cloud(int count, double radius, double min_distance, std::uint32_t seed);
// Largest difference over the largest number of `expected`; infinite if one is not finite or the sizes differ.
double largest_relative_difference(const std::vector<double>& got, const std::vector<double>& expected);

}  // namespace perturb::fibers
