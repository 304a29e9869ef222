// Elastic discs in a box: every collision in the order of time (the rule `exact`), or one per disc and step, in the
// total order of the paper's rule (`one`). Both are bit-identical to sequential processing. Method and limits:
// README.md in this folder. Paper: Loo & Lee, "Discrete Particle Simulation with CUDA" (2019).
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::particles {

// Description of this simulation for its registration.
const SimulationInfo& particles_simulation();

// The description, without the functions that make, check and measure the simulation.
SimulationInfo particles_info();

// For studies: sets the threads per block (1 to 256) of a run that checks all pairs, until a kernel is selected: one
// number for its loops over discs and collisions, one for its loop over pairs. Without CUDA nothing changes.
void particles_use_blocks(Simulation& run, int discs_block, int pairs_block);

// For tests: from now on a run with the rule `exact` takes its steps by the method for few discs (model/exact_rounds.h)
// on every backend. Otherwise CUDA does, for up to 32 768 discs.
void particles_use_rounds_everywhere(Simulation& run);

// Theory checks of `perturb verify`, one function each. They use the public interface of the simulation. This one
// compares a kernel with the paper's rule, searched over all pairs and filtered sequentially: discs whose state differs
// in any bit.
TheoryCheck check_exact(Backend& backend, bool fast);
TheoryCheck check_energy(Backend& backend, bool fp64);
// A uniform distribution of velocities relaxes to the Maxwell-Boltzmann distribution.
TheoryCheck check_maxwell(Backend& backend);
// The rule `exact`: cells against all pairs; energy and overlaps after a million collisions; pressure on the walls at
// an area fraction, over about the given number of hits, against an equation of state; the mean free path; the way back
// after all velocities were reversed; a shock's speed and density.
TheoryCheck check_all_collisions(Backend& backend);
// The rule `exact` against one sequential list of all events; the share that the paper's rule misses, by its gauge and
// by counting; the entropy of mixing compared with diffusion's.
std::vector<TheoryCheck> check_queue(Backend& backend);
TheoryCheck check_missed(Backend& backend);
std::vector<TheoryCheck> check_mixing(Backend& backend, bool with_long);
std::vector<TheoryCheck> check_million(Backend& backend, bool fp64);
TheoryCheck check_pressure(Backend& backend, double fraction, double wall_hits, bool fp64 = true);
// Pressure of a mixture of two sizes, and of a crystal, over about the given number of hits on the walls; the cooling
// of a gas whose collisions lose energy.
TheoryCheck check_mixture(Backend& backend, double wall_hits);
TheoryCheck check_crystal(Backend& backend, double wall_hits);
std::vector<TheoryCheck> check_cooling(Backend& backend);
TheoryCheck check_free_path(Backend& backend);
// Collisions per disc in a step at an area fraction, by the gauge, compared with Enskog's.
TheoryCheck check_rate(Backend& backend, double fraction);
TheoryCheck check_contact(Backend& backend);
TheoryCheck check_displacement(Backend& backend);
TheoryCheck check_reverse(Backend& backend);
std::vector<TheoryCheck> check_shock(Backend& backend);
// A slow piston: the temperature rises as the area shrinks (T·A constant: two degrees of freedom).
TheoryCheck check_piston(Backend& backend);
// A slow piston in a gas without heat: the pressure along the way is that of the adiabat of the plot of pressure
// against volume, and the energy gained is the work of the wall.
std::vector<TheoryCheck> check_adiabat(Backend& backend);
// A flame and ice under the gas: the energy gained is the heat received.
TheoryCheck check_heat(Backend& backend);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

// Initial parameters of a run of `setup`; a size gives the number of discs. Throws InputError.
struct Parameters;
Parameters parameters_of(const Setup& setup);

}  // namespace perturb::particles
