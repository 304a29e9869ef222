// Theory and reference values that a flow is compared with: Reynolds number, vortex shedding, permeability, the cavity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cuda/core/backend/message.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/turning.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// U L/Re for a flow with parameters.reynolds > 0 and a length of `length` cells. Throws InputError if nothing drives
// the flow, or if the viscosity is outside the range of its parameter.
double viscosity_of(const Parameters& parameters, int length);

// ---- vortex shedding of a circular cylinder: reference values, and their range of validity

// The Strouhal number f D/U of a circular cylinder in a wide two-dimensional stream: Henderson's computations (J. Fluid
// Mech. 352, 1997) as fitted by Williamson & Brown (J. Fluids Struct. 12, 1998), for Reynolds numbers of 50 to 1000; 0
// elsewhere. At 100 it is 0.167, where 0.164 is measured (Williamson, Annu. Rev. Fluid Mech. 28, 1996). Above 180
// real wakes become three-dimensional, which this one cannot.
double expected_strouhal(double reynolds);

struct Expected {
  double strouhal = 0;  // 0: none
  Message remark;       // why there is none, or why this flow differs; empty if the body is no cylinder in a stream
};
// For one of `bodies` in a domain that is `breadth` cells wide across the stream.
Expected expected_of(const Parameters& parameters, const Bodies& bodies, std::size_t body, Stream stream, int width,
                     double reynolds);

// Permeability: how easily a force drives fluid through a porous medium.
struct Permeability {
  double porosity = 0;       // the fraction of the area that is fluid
  double got = 0;            // cell²; Darcy's k = viscosity flux/force, the flux averaged over the whole area
  double kozeny_carman = 0;  // cell²; of cylinders with this porosity and wetted length
  double reynolds = 0;       // from the flux and the root of k: Darcy's law is valid for slow flow
};

// `momentum`: of all fluid along the stream; `fluid`, `cells`: number of fluid cells, and of all cells. Empty unless a
// force drives the fluid through periodic sides past at least min_grains bodies.
constexpr std::int64_t min_grains = 10;
std::optional<Permeability> permeability_of(const Parameters& parameters, const Bodies& bodies, double momentum,
                                            std::int64_t fluid, std::int64_t cells);

// Steady flow between a turning cylinder and a round wall at rest (Couette 1890; Taylor, Phil. Trans. R. Soc. A 223,
// 1923): the velocity A r + B/r round the axis. Its vortices of fast flows need the third dimension.
double annulus_velocity(const Annulus& annulus, double radius);
// The torque on the inner cylinder: -4π ν B at a density of 1.
double annulus_torque(const Annulus& annulus, double viscosity);
// Steps until less than 1 % is left of a deviation from the steady flow between walls this far apart: it decays as
// exp(-π² ν t/distance²).
double steps_to_steady(double distance, double viscosity);

// Velocities in a square cavity under a sliding lid, computed by Ghia, Ghia & Shin, J. Comput. Phys. 48 (1982), tables
// I and II: u on the vertical centre line, v on the horizontal one, of a cavity of side 1 with a lid of speed 1.
struct GhiaRow {
  double place, re100, re400, re1000;
  // For Re 100, 400 or 1000.
  double value(int reynolds) const { return reynolds == 100 ? re100 : reynolds == 400 ? re400 : re1000; }
};
constexpr GhiaRow ghia_u[] = {{0.9766, 0.84123, 0.75837, 0.65928},   {0.9688, 0.78871, 0.68439, 0.57492},
                              {0.9609, 0.73722, 0.61756, 0.51117},   {0.9531, 0.68717, 0.55892, 0.46604},
                              {0.8516, 0.23151, 0.29093, 0.33304},   {0.7344, 0.00332, 0.16256, 0.18719},
                              {0.6172, -0.13641, 0.02135, 0.05702},  {0.5, -0.20581, -0.11477, -0.0608},
                              {0.4531, -0.2109, -0.17119, -0.10648}, {0.2813, -0.15662, -0.32726, -0.27805},
                              {0.1719, -0.1015, -0.24299, -0.38289}, {0.1016, -0.06434, -0.14612, -0.2973},
                              {0.0703, -0.04775, -0.10338, -0.2222}, {0.0625, -0.04192, -0.09266, -0.20196},
                              {0.0547, -0.03717, -0.08186, -0.18109}};
// The printed value of Re 400 at 0.9063, -0.23827, is not on the curve of its neighbours and is assumed to be a
// misprint.
constexpr double ghia_misprint = 1e9;
constexpr GhiaRow ghia_v[] = {{0.9688, -0.05906, -0.12146, -0.21388},     {0.9609, -0.07391, -0.15663, -0.27669},
                              {0.9531, -0.08864, -0.19254, -0.33714},     {0.9453, -0.10313, -0.22847, -0.39188},
                              {0.9063, -0.16914, ghia_misprint, -0.5155}, {0.8594, -0.22445, -0.44993, -0.42665},
                              {0.8047, -0.24533, -0.38598, -0.31966},     {0.5, 0.05454, 0.05186, 0.02526},
                              {0.2344, 0.17527, 0.30174, 0.32235},        {0.2266, 0.17507, 0.30203, 0.33075},
                              {0.1563, 0.16077, 0.28124, 0.37095},        {0.0938, 0.12317, 0.22965, 0.32627},
                              {0.0781, 0.1089, 0.2092, 0.30353},          {0.0703, 0.10091, 0.19713, 0.29012},
                              {0.0625, 0.09233, 0.1836, 0.27485}};

}  // namespace perturb::lbm
