// The wave tank: u_tt + k u_t = c² (u_xx + u_yy) on a grid of cells, poked with droplets, walls, speed maps
// and sources. Scheme, boundaries and limits: README.md beside this file. Source: Alesiani, "GPGPU on
// Accelerating Wave PDE" (2012).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/simulation.h"

namespace perturb::wave {

// What the registration line names.
const SimulationInfo& wave_simulation();

// What SimulationInfo promises of them.
std::unique_ptr<Simulation> wave_create(Backend& backend, const Setup& setup);
std::size_t wave_memory_needed(const Backend& backend, const Setup& setup);

// The theory checks of `perturb verify`, one function each, so that tests can ask for them one by one. They drive the
// simulation through its public face, on any backend. `fp64`: in double precision.
TheoryCheck wave_check_standing_mode(Backend& backend, bool fp64);
TheoryCheck wave_check_convergence(Backend& backend);
TheoryCheck wave_check_damping(Backend& backend);
TheoryCheck wave_check_damping_order(Backend& backend, bool one_sided);
TheoryCheck wave_check_symmetry(Backend& backend);
// `sides`: the choice index of Boundary for all four sides (fixed, free or periodic).
TheoryCheck wave_check_energy(Backend& backend, int sides, bool nine_points = false);
// The one-way condition alone, or with a sponge 32 cells wide.
TheoryCheck wave_check_absorption(Backend& backend, bool sponge);
// A fixed side turns a pulse back upside down, a free one upright.
TheoryCheck wave_check_reflection(Backend& backend, bool free_side);
// A pulse that meets water half as fast: R = (c2 - c1)/(c2 + c1) = -1/3 of it turns back.
TheoryCheck wave_check_speed_step(Backend& backend);
TheoryCheck wave_check_doppler(Backend& backend, bool ahead);
// The phase speed of waves `length` cells long in direction 0, 1 or 2 (0°, 16.3°, 36.9°), and the order in 1/length in
// which directions differ. `stencil`: the choice index of Stencil.
TheoryCheck wave_check_phase_speed(Backend& backend, int stencil, int length, int direction);
TheoryCheck wave_check_isotropy(Backend& backend, int stencil);
// A sponge of the scenes with absorbing sides, where c = dx = 1, and the waves that it gets.
struct SceneSponge {
  std::string name;                 // in the table of checks
  std::vector<std::string> scenes;  // presets, with the simulation's name
  double width, strength;
  std::vector<double> wavelengths;  // cells, in open water
};
const std::vector<SceneSponge>& wave_scene_sponges();
// What comes back from an absorbing side with such a sponge, of waves of a length and at an angle of incidence.
TheoryCheck wave_check_slanted_absorption(Backend& backend, const SceneSponge& sponge, double wavelength,
                                          double degrees);
// The intensity behind the two slits of the scene `double-slit`.
std::vector<TheoryCheck> wave_check_slits(Backend& backend);
// Waves that go over an edge to slower water, and through a lens of it, beside Snell's law; and rays through the lens's
// cells beside Snell's law at the faces of its ellipse.
TheoryCheck wave_check_refraction(Backend& backend);
TheoryCheck wave_check_lens_rays();
TheoryCheck wave_check_focus(Backend& backend);
// The shortest waves of an even tank below and above the gauge's limit, and so many random tanks, for so many steps
// below it (a twentieth of them in every fourth, which is large).
std::vector<TheoryCheck> wave_check_limit(Backend& backend, int stencil);
std::vector<TheoryCheck> wave_check_random_limits(Backend& backend, int tanks, int steps, bool fp64);
// A kernel against the reference, to the bit.
TheoryCheck wave_check_kernel(Backend& backend, const std::string& kernel);
std::vector<TheoryCheck> wave_verify(Backend& backend, bool with_long);

}  // namespace perturb::wave
