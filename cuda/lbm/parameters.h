// The parameters of the lattice Boltzmann flow, in lattice units (a cell and a step are 1).
#pragma once

#include <span>

#include "cuda/core/simulation/parameters.h"
#include "cuda/lbm/model/sides.h"

namespace perturb::lbm {

enum class Collision { bgk, trt, les };
enum class Storage { fp32, fp16 };
enum class Profile { uniform, parabolic };
enum class OutletPressure { drawn, held };
enum class Outlines { cells, curved };  // outlines of walls: of whole cells, or as drawn

struct Parameters {
  double viscosity = 0.02;
  double reynolds = 0;  // not 0: determines the viscosity
  Collision collision = Collision::trt;
  double magic = 3.0 / 16.0;
  double smagorinsky = 0.1;
  Outlines outlines = Outlines::cells;
  bool disturbance = true;  // of a stream round a body
  double inlet_speed = 0.1;
  Profile inlet_profile = Profile::uniform;
  OutletPressure outlet_pressure = OutletPressure::drawn;
  double wall_speed = 0.1;
  double force_x = 0, force_y = 0;
  Boundary boundary_left = Boundary::periodic, boundary_right = Boundary::periodic;
  Boundary boundary_bottom = Boundary::periodic, boundary_top = Boundary::periodic;
  int body = 1;
  bool arrows = false;
  int streamlines = 0;  // number from the lowest to the highest position; 0: none
  int tracers = 0;
  Storage storage = Storage::fp32;
};

// The parameter table for panels, files and the command line.
std::span<const Parameter> parameter_table();

}  // namespace perturb::lbm
