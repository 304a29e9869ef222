// The parameters of the wave tank.
#pragma once

#include <span>

#include "cuda/core/simulation/parameters.h"
#include "cuda/wave/model/sides.h"

namespace perturb::wave {

// Discretisation of u_t in the damping term.
enum class Damping {
  centred,   // (u(t+1) - u(t-1))/(2 dt): second order in dt
  one_sided  // (u(t) - u(t-1))/dt: the paper's, first order in dt
};

// Stencil of the Laplacian.
enum class Stencil {
  five,  // left, right, below, above: the paper's
  nine   // those and the four corners, 4 : 1: isotropic error up to terms of fourth order
};

enum class Precision { fp32, fp64 };

// Defaults are those of the paper (Alesiani 2012).
struct Parameters {
  double wave_speed = 1;    // c, length/time
  double cell_size = 1;     // dx, length
  double time_step = 0.05;  // dt, time
  double damping = 0.002;   // k, 1/time
  Damping damping_form = Damping::centred;
  Stencil stencil = Stencil::five;
  double droplet_radius = 3;        // s, length
  double droplet_amplitude = 0.07;  // a, height
  Boundary boundary_left = Boundary::fixed, boundary_right = Boundary::fixed;
  Boundary boundary_bottom = Boundary::fixed, boundary_top = Boundary::fixed;
  double sponge_width = 0;       // length; a damping layer along absorbing sides, for waves at oblique incidence
  double sponge_strength = 0.5;  // 1/time at the side itself
  double rain_rate = 0;          // drops per time unit
  Precision precision = Precision::fp32;
};

// The parameter table for panels, files and the command line.
std::span<const Parameter> parameter_table();

}  // namespace perturb::wave
