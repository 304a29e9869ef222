// How long a step of the rule `exact` may take.
#pragma once

namespace perturb::particles {

// The most collisions in a step that are waited for: so many a disc; of few discs more.
constexpr double max_exact_collisions_per_disc = 256;
constexpr double max_exact_collisions(double discs) { return 3e5 + max_exact_collisions_per_disc * discs; }

}  // namespace perturb::particles
