// The wave tank: u_tt + k u_t = c² (u_xx + u_yy) on a grid of cells, with droplets, walls, speed maps
// and sources. Scheme, boundaries and limits: README.md in this folder. Paper: Alesiani, "GPGPU on
// Accelerating Wave PDE" (2012).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"

namespace perturb::wave {

// The entry of this simulation in the list of simulations.
const SimulationInfo& wave_simulation();

// As described in SimulationInfo.
std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup);
std::size_t memory_needed(const Backend& backend, const Setup& setup);

// The theory checks of `perturb verify`, one function each, so that tests can call them separately. They drive the
// simulation through its public interface, on any backend. `fp64`: in double precision.
TheoryCheck check_standing_mode(Backend& backend, bool fp64);
TheoryCheck check_convergence(Backend& backend);
TheoryCheck check_damping(Backend& backend);
TheoryCheck check_damping_order(Backend& backend, bool one_sided);
TheoryCheck check_symmetry(Backend& backend);
// `sides`: the choice index of Boundary for all four sides (fixed, free or periodic).
TheoryCheck check_energy(Backend& backend, int sides, bool nine_points = false);
// The one-way condition alone, or with a sponge 32 cells wide.
TheoryCheck check_absorption(Backend& backend, bool sponge);
// A fixed side reflects a pulse inverted, a free one upright.
TheoryCheck check_reflection(Backend& backend, bool free_side);
// A pulse that enters water of half the speed: R = (c2 - c1)/(c2 + c1) = -1/3 of it is reflected.
TheoryCheck check_speed_step(Backend& backend);
TheoryCheck check_doppler(Backend& backend, bool ahead);
// The wedge behind a slow oscillator at twice the wave speed.
TheoryCheck check_wedge(Backend& backend);
// The phase speed of waves `length` cells long in direction 0, 1 or 2 (0°, 16.3°, 36.9°), and the order in 1/length in
// which directions differ. `stencil`: the choice index of Stencil.
TheoryCheck check_phase_speed(Backend& backend, int stencil, int length, int direction);
TheoryCheck check_isotropy(Backend& backend, int stencil);
// A sponge of scenes with absorbing sides, where c = dx = 1, and the waves that reach it.
struct SceneSponge {
  std::string name;                 // in the table of checks
  std::vector<std::string> scenes;  // presets, with the simulation's name
  double width, strength;
  std::vector<double> wavelengths;  // cells, in open water
};
const std::vector<SceneSponge>& scene_sponges();
// Reflection from an absorbing side with such a sponge, for a wavelength and an angle of incidence.
TheoryCheck check_slanted_absorption(Backend& backend, const SceneSponge& sponge, double wavelength, double degrees);
// The intensity behind the two slits of the scene `double-slit`.
std::vector<TheoryCheck> check_slits(Backend& backend);
// Waves that cross an edge to slower water, or a lens, compared with Snell's law; and rays through the lens's
// cells compared with Snell's law at the faces of its ellipse.
TheoryCheck check_refraction(Backend& backend);
TheoryCheck check_lens_rays();
TheoryCheck check_focus(Backend& backend);
// The shortest waves of a uniform tank below and above the gauge's limit; and this number of random tanks for `steps`
// steps below it (a twentieth of the steps in every fourth tank, which is large).
std::vector<TheoryCheck> check_limit(Backend& backend, int stencil);
std::vector<TheoryCheck> check_random_limits(Backend& backend, int tanks, int steps, bool fp64);
// Frequencies of standing modes: of a string between a fixed and a free end, and of a tank with such edges; of a round
// drum, whose rim is a staircase of walls.
std::vector<TheoryCheck> check_mode_frequencies(Backend& backend);
std::vector<TheoryCheck> check_drum(Backend& backend);
// Compares a kernel with the reference, bit for bit.
TheoryCheck check_kernel(Backend& backend, const std::string& kernel);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

}  // namespace perturb::wave
