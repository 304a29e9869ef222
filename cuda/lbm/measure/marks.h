// Theory and forces drawn into the flow (Diagnostics::marks).
#pragma once

#include "cuda/lbm/measure/report.h"

namespace perturb::lbm {

// Adds to the numbers of this report, whose curves must be there already:
// - drag and lift of up to four bodies as arrows from their centres, with their coefficients; an arrow is
//   `lengths_per_coefficient` reference lengths long for a coefficient of 1;
// - the velocities on the middle lines where theory has them, both drawn to one scale across their line.
void add_marks(const Report& report, Diagnostics& diagnostics);

constexpr double lengths_per_coefficient = 0.75;
// The largest velocity of theory is drawn this share of the domain's extent across the line.
constexpr double profile_share = 0.15;

}  // namespace perturb::lbm
