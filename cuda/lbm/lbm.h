// Lattice Boltzmann flow in two dimensions (D2Q9), pushed by hand: walls, inlets, outlets, forces, dye.
// Scheme, boundaries and limits: README.md beside this file. Source: Carrillo, Siegel & Li (2010).
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::lbm {

// What the registration line names.
const SimulationInfo& lbm_simulation();
std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup);

// The theory checks of `perturb verify`, one function each. They drive the simulation through its
// public face, on any backend.
TheoryCheck check_mass(Backend& backend);
TheoryCheck check_momentum(Backend& backend);
TheoryCheck check_decay(Backend& backend);
TheoryCheck check_order(Backend& backend);
TheoryCheck check_poiseuille(Backend& backend, int height);
TheoryCheck check_array(Backend& backend);
TheoryCheck check_dragged_mass(Backend& backend, bool curved_outlines);
// The mean drag of a cylinder that is dragged, a cell in `pace` steps, against that of one at rest in the stream; of
// every `moves_per_reading` moves one is read, for that costs more than a step.
TheoryCheck check_dragged(Backend& backend, bool curved_outlines, int pace, int diameter = 40,
                          int moves_per_reading = 1);
// Against Ghia, Ghia & Shin (1982): the largest difference of the centre-line velocities. `reynolds`: 100, 400 or 1000.
TheoryCheck check_cavity(Backend& backend, int reynolds);
// Schäfer & Turek (1996), 2D-2, with `diameter` cells across the cylinder: Strouhal number, peak drag and peak lift.
std::vector<TheoryCheck> check_cylinder(Backend& backend, int diameter);
// A wing's Reynolds number is that of its chord; drag and lift of the second of two bodies by itself; permeability of
// an array of cylinders and of the scene `porous`; a cylinder's vortices in a wide stream.
TheoryCheck check_wing_reynolds(Backend& backend);
std::vector<TheoryCheck> check_second_body(Backend& backend);
std::vector<TheoryCheck> check_permeability(Backend& backend);
TheoryCheck check_porous(Backend& backend);
TheoryCheck check_wide_stream(Backend& backend);
// By what share of its peak a parabola slips along walls, by theory and by the gauge.
std::vector<TheoryCheck> check_slip(Backend& backend);
// A kernel against `fused`.
TheoryCheck check_kernel(Backend& backend, const std::string& kernel);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

}  // namespace perturb::lbm
