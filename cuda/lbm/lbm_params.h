// The parameters of the lattice Boltzmann flow, in lattice units (a cell and a step are 1).
#pragma once

#include <span>

#include "cuda/core/parameters.h"

namespace perturb::lbm {

enum class LbmCollision { bgk, trt, les };
enum class LbmStorage { fp32, fp16 };
enum class LbmProfile { uniform, parabolic };
enum class LbmOutletPressure { drawn, held };
enum class LbmOutlines { cells, curved };  // of walls: of whole cells, or where they were drawn

// What a side of the domain does. All walls lie half a cell outside the outermost cells.
enum class LbmBoundary {
  periodic,  // what leaves comes in on the opposite side, which must be periodic too
  wall,      // no slip (halfway bounce-back)
  moving,    // a wall that slides along itself at wall_speed (to the right, or upwards)
  inlet,     // fluid enters at inlet_speed (halfway bounce-back with the momentum of that velocity)
  outlet     // fluid leaves at a pressure that is drawn to that of density 1, or held there
};

struct LbmParameters {
  double viscosity = 0.02;
  double reynolds = 0;  // not 0: viscosity follows from it
  LbmCollision collision = LbmCollision::trt;
  double magic = 3.0 / 16.0;
  double smagorinsky = 0.1;
  LbmOutlines outlines = LbmOutlines::cells;
  double inlet_speed = 0.1;
  LbmProfile inlet_profile = LbmProfile::uniform;
  LbmOutletPressure outlet_pressure = LbmOutletPressure::drawn;
  double wall_speed = 0.1;
  double force_x = 0, force_y = 0;
  LbmBoundary boundary_left = LbmBoundary::periodic, boundary_right = LbmBoundary::periodic;
  LbmBoundary boundary_bottom = LbmBoundary::periodic, boundary_top = LbmBoundary::periodic;
  int body = 1;
  bool arrows = false;
  int streamlines = 0;  // from the lowest to the highest place; 0: none
  int tracers = 0;
  LbmStorage storage = LbmStorage::fp32;
};

// The table that panels, files and the command line read.
std::span<const Parameter> lbm_parameter_table();

}  // namespace perturb::lbm
