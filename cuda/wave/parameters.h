// The parameters of the wave tank.
#pragma once

#include <span>

#include "cuda/core/simulation/parameters.h"

namespace perturb::wave {

// What a side of the tank does to a wave.
enum class Boundary {
  fixed,      // the surface is held at zero one cell outside: waves bounce back inverted (the source)
  free,       // no slope at the side (Neumann, at the face of the outermost cell): waves bounce back upright
  absorbing,  // first-order one-way condition, and a sponge layer if wanted: waves leave
  periodic    // what leaves comes in on the opposite side, which must be periodic too
};

// How u_t is discretised where it damps.
enum class Damping {
  centred,   // (u(t+1) - u(t-1))/(2 dt): second order in dt
  one_sided  // (u(t) - u(t-1))/dt: the source's, first order in dt
};

// How the Laplacian is taken on the grid.
enum class Stencil {
  five,  // left, right, below, above: the source's
  nine   // those and the four corners, 4 : 1: its error is the same in all directions but for terms of fourth order
};

enum class Precision { fp32, fp64 };

// Defaults are those of the source (Alesiani 2012).
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
  double sponge_width = 0;       // length; a damping layer along absorbing sides, for waves that come in at a slant
  double sponge_strength = 0.5;  // 1/time at the side itself
  double rain_rate = 0;          // drops a time unit
  Precision precision = Precision::fp32;
};

// The table that panels, files and the command line read.
std::span<const Parameter> parameter_table();

}  // namespace perturb::wave
