// Rigid slender fibers that sediment in Stokes flow, each carried by the flow of all others. Method, limits and
// references: README.md in this folder.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::fibers {

// Description of this simulation for its registration.
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
TheoryCheck check_ring_fall(Backend& backend);     // a ball's radius, independent of the fibers lost in its wake
TheoryCheck check_parting();                       // of a ring whose density is known
TheoryCheck check_surface_flow(Backend& backend);  // of a ring of known density
TheoryCheck check_drop(Backend& backend);          // no slip at a fiber's surface
TheoryCheck check_orbit();                         // effect of long steps on a circle
TheoryCheck check_contact();                       // how a contact force moves two fibers
// Checks of the scenes: the core of `cloud` falls as estimated while it is a ball, to t = 30; in `ring` and `thousand`
// no fibers overlap.
std::vector<TheoryCheck> check_scene_fall(Backend& backend);
TheoryCheck check_scene_overlaps(Backend& backend, bool thousand, int steps);
TheoryCheck check_kernel(Backend& backend, const char* kernel, bool fp32);
TheoryCheck check_length_fall(Backend& backend);     // lone fibers of other lengths
TheoryCheck check_length_scaling(Backend& backend);  // everything twice as large
TheoryCheck check_length_balance(Backend& backend);  // the equations, by plain quadrature
TheoryCheck check_length_kernel(Backend& backend, const char* kernel, bool fp32);
// Gain in speed of pairs, and their turning, compared with rods of beads.
std::vector<TheoryCheck> check_pairs(Backend& backend);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

}  // namespace perturb::fibers
