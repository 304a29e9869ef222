// Lattice Boltzmann flow in two dimensions (D2Q9) with interactive walls, inlets, outlets, forces and dye.
// Scheme, boundaries and limits: README.md in this folder. Paper: Carrillo, Siegel & Li (2010).
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::lbm {

// The entry of this simulation in the list of simulations.
const SimulationInfo& lbm_simulation();
std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup);

// The theory checks of `perturb verify`, one function each. They drive the simulation through its
// public interface, on any backend.
TheoryCheck check_mass(Backend& backend);
TheoryCheck check_momentum(Backend& backend);
TheoryCheck check_decay(Backend& backend);
TheoryCheck check_order(Backend& backend);
TheoryCheck check_poiseuille(Backend& backend, int height);
TheoryCheck check_array(Backend& backend);
TheoryCheck check_dragged_mass(Backend& backend, bool curved_outlines);
// Mean drag of a cylinder dragged by one cell per `pace` steps, compared with that of one at rest in a stream. One of
// every `moves_per_reading` moves is read, because reading takes longer than a step.
TheoryCheck check_dragged(Backend& backend, bool curved_outlines, int pace, int diameter = 40,
                          int moves_per_reading = 1);
// Largest difference of the centre-line velocities from Ghia, Ghia & Shin (1982). `reynolds`: 100, 400 or 1000.
TheoryCheck check_cavity(Backend& backend, int reynolds);
// Schäfer & Turek (1996), 2D-2, with `diameter` cells across the cylinder: Strouhal number, peak drag and peak lift.
std::vector<TheoryCheck> check_cylinder(Backend& backend, int diameter);
// Reynolds number of a wing by its chord; drag and lift of the second of two bodies separately; permeability of
// an array of cylinders and of the scene `porous`; vortices of a cylinder in a wide stream.
TheoryCheck check_wing_reynolds(Backend& backend);
std::vector<TheoryCheck> check_second_body(Backend& backend);
std::vector<TheoryCheck> check_permeability(Backend& backend);
TheoryCheck check_porous(Backend& backend);
TheoryCheck check_wide_stream(Backend& backend);
// Slip of a parabolic profile along walls, as a fraction of its peak, by theory and by the gauge.
std::vector<TheoryCheck> check_slip(Backend& backend);
// Couette's flow on its way from rest: its error and the order of it.
std::vector<TheoryCheck> check_couette(Backend& backend);
// Velocity and torque of the flow between a turning cylinder and one at rest.
std::vector<TheoryCheck> check_turning(Backend& backend, bool curved_outlines);
// Reattachment behind a step, of Erturk (2008).
std::vector<TheoryCheck> check_step(Backend& backend);
// Schäfer & Turek (1996), 2D-1, with `diameter` cells across the cylinder: drag, lift and pressure difference.
std::vector<TheoryCheck> check_steady_cylinder(Backend& backend, int diameter);
// Compares a kernel with `fused`.
TheoryCheck check_kernel(Backend& backend, const std::string& kernel);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

}  // namespace perturb::lbm
