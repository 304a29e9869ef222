// Gauss-Legendre rules.
#pragma once

#include <span>

namespace perturb {

// The rule on [-1, 1] with as many points as the spans have elements (equal sizes, at least one): exact for polynomials
// up to degree 2 n - 1. Points ascend; the middle one of an odd rule is zero.
void gauss_rule(std::span<double> points, std::span<double> weights);

}  // namespace perturb
