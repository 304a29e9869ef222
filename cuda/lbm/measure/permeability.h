// Permeability: how easily a force drives fluid through a porous medium.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

struct Permeability {
  double porosity = 0;       // the fraction of the area that is fluid
  double got = 0;            // cell²; Darcy's k = viscosity flux/force, the flux averaged over the whole area
  double kozeny_carman = 0;  // cell²; of cylinders with this porosity and wetted length
  double reynolds = 0;       // from the flux and the root of k: Darcy's law is valid for slow flow
};

// `momentum`: of all fluid along the stream; `fluid`, `cells`: number of fluid cells, and of all cells. Empty unless a
// force drives the fluid through periodic sides past at least least_grains bodies.
constexpr std::int64_t least_grains = 10;
std::optional<Permeability> permeability_of(const Parameters& parameters, const Bodies& bodies, double momentum,
                                            std::int64_t fluid, std::int64_t cells);

}  // namespace perturb::lbm
