// Elastic discs in a box: every collision in the order of time (the rule `exact`), or one a disc and step, in the total
// order of the source's rule (`one`); both to the bit as if done one after the other. Method and limits: README.md
// beside this file. Source: Loo & Lee, "Discrete Particle Simulation with CUDA" (2019).
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::particles {

// What the registration line names.
const SimulationInfo& particles_simulation();

// The facts but for the functions that make, check and measure it.
SimulationInfo particles_info();

// For studies: a run that checks all pairs goes on in blocks of so many threads (1 to 256), until a kernel is selected:
// one number for its loops over discs and collisions, one for its loop over pairs. Without CUDA nothing changes.
void particles_use_blocks(Simulation& run, int discs_block, int pairs_block);

// The theory checks of `perturb verify`, one function each. They drive the simulation through its public face. A kernel
// against the source's rule, searched over all pairs and filtered sequentially: discs whose state differs in any bit.
TheoryCheck check_exact(Backend& backend, bool fast);
TheoryCheck check_energy(Backend& backend, bool fp64);
// An even distribution of velocities relaxes to Maxwell and Boltzmann's.
TheoryCheck check_maxwell(Backend& backend);
// The rule `exact`: cells against all pairs; energy and overlaps after a million collisions; pressure on the walls at
// an area fraction, over about so many hits, against an equation of state; the mean free path; the way back after all
// velocities were turned; a shock's speed and density.
TheoryCheck check_all_collisions(Backend& backend);
// The same against one list of all events, done one after the other; what the source's rule misses, by its gauge and by
// counting; the entropy of mixing beside diffusion's.
std::vector<TheoryCheck> check_queue(Backend& backend);
TheoryCheck check_missed(Backend& backend);
std::vector<TheoryCheck> check_mixing(Backend& backend, bool with_long);
std::vector<TheoryCheck> check_million(Backend& backend, bool fp64);
TheoryCheck check_pressure(Backend& backend, double fraction, double wall_hits, bool fp64 = true);
TheoryCheck check_free_path(Backend& backend);
// Collisions a disc in a step at an area fraction, by the gauge, beside Enskog's.
TheoryCheck check_rate(Backend& backend, double fraction);
TheoryCheck check_contact(Backend& backend);
TheoryCheck check_displacement(Backend& backend);
TheoryCheck check_reverse(Backend& backend);
std::vector<TheoryCheck> check_shock(Backend& backend);
// A slow piston: the temperature rises as the area shrinks (T·A constant: two degrees of freedom).
TheoryCheck check_piston(Backend& backend);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

// What a run of `setup` starts with, brought into its parameters: a size gives the number of discs. Throws InputError.
struct ParticlesParameters;
ParticlesParameters parameters_of(const Setup& setup);

}  // namespace perturb::particles
