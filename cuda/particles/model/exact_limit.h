// Limits of the work in a step of the rule `exact`.
#pragma once

namespace perturb::particles {

// Limit of collisions in a step: this number per disc, and more for few discs.
constexpr double max_exact_collisions_per_disc = 256;
constexpr double max_exact_collisions(double discs) { return 3e5 + max_exact_collisions_per_disc * discs; }

}  // namespace perturb::particles
