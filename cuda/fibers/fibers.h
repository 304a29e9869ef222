// Rigid slender fibers that sediment in Stokes flow, each feeling the flow of all others.
// The method, its limits and its sources: README.md beside this file.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::fibers {

// What the registration line names.
const SimulationInfo& fibers_simulation();
std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup);

// The theory checks of `perturb verify`, one function each.
TheoryCheck check_lone_fall(Backend& backend);      // along gravity: exactly 1
TheoryCheck check_lone_across(Backend& backend);    // (d+2)/(2d)
TheoryCheck check_lone_drift(Backend& backend);     // (d-2)/(2d) sin cos
TheoryCheck check_vertical_pair(Backend& backend);  // side by side, 0.55 apart
TheoryCheck check_exchange(Backend& backend);       // Theta_ml^nk = Theta_lm^kn with a fine rule
TheoryCheck check_closed_form(bool near);           // against adaptive quadrature
TheoryCheck check_order(Backend& backend, int scheme);
TheoryCheck check_cloud(Backend& backend);         // point forces in a ball
TheoryCheck check_core();                          // a ball's radius, whatever it lost in its wake
TheoryCheck check_ring_fall(Backend& backend);     // point forces in a torus
TheoryCheck check_parting();                       // of a ring whose density is known
TheoryCheck check_surface_flow(Backend& backend);  // the fluid sticks to a fiber
TheoryCheck check_drop(Backend& backend);          // a ball of fibers moves the fluid as a drop does
TheoryCheck check_orbit();                         // what long steps do to a circle
TheoryCheck check_contact();                       // how two fibers share a push
// The scenes as they run: `cloud`, whose core falls as estimated while it is a ball, to t = 30; `ring` or `thousand`,
// where no fibers lie in each other.
std::vector<TheoryCheck> check_scene_fall(Backend& backend);
TheoryCheck check_scene_overlaps(Backend& backend, bool thousand, int steps);
TheoryCheck check_kernel(Backend& backend, const char* kernel, bool fp32);
TheoryCheck check_length_fall(Backend& backend);     // lone fibers of other lengths
TheoryCheck check_length_scaling(Backend& backend);  // everything twice as large
TheoryCheck check_length_balance(Backend& backend);  // the equations themselves, by plain quadrature
TheoryCheck check_length_kernel(Backend& backend, const char* kernel, bool fp32);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

}  // namespace perturb::fibers
