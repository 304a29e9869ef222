// Elastic discs in a box: exact, one collision a disc and step, in the total order of the sequential rule.
// Method and limits: README.md beside this file. Source: Loo & Lee, "Discrete Particle Simulation with CUDA" (2019).
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation.h"

namespace perturb {

// What the registration line names.
const SimulationInfo& particles_simulation();

// The facts but for the functions that make, check and measure it.
SimulationInfo particles_info();

// The theory checks of `perturb verify`, one function each. They drive the simulation through its public face.
// A kernel against the source's rule, searched over all pairs and filtered sequentially: discs whose state differs in any bit.
TheoryCheck particles_check_exact(Backend& backend, bool fast);
TheoryCheck particles_check_energy(Backend& backend, bool fp64);
// An even distribution of velocities relaxes to Maxwell and Boltzmann's.
TheoryCheck particles_check_maxwell(Backend& backend);
// Pressure on the walls of a thin gas (ideal with Henderson's correction).
TheoryCheck particles_check_pressure(Backend& backend);
// A slow piston: the temperature rises as the area shrinks (T·A constant: two degrees of freedom).
TheoryCheck particles_check_piston(Backend& backend);
std::vector<TheoryCheck> particles_verify(Backend& backend, bool extended);

// What a run of `setup` starts with, brought into its parameters: a size gives the number of discs. Throws InputError.
struct ParticlesParameters;
ParticlesParameters particles_parameters_of(const Setup& setup);

}  // namespace perturb
