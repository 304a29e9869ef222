// How easily a force drives fluid through what stands in its way.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

struct Permeability {
  double porosity = 0;       // the share of the area that is fluid
  double got = 0;            // cell²; Darcy's k = viscosity flux/force, the flux over all of the area
  double kozeny_carman = 0;  // cell²; of cylinders with such a porosity and wetted length
  double reynolds = 0;       // of the flux and the root of k: Darcy's law is one of slow flow
};

// `momentum`: of all fluid along the stream; `fluid`, `cells`: how many cells are fluid, and all. Nothing where no
// force drives the fluid round and round through at least least_grains bodies.
constexpr std::int64_t least_grains = 10;
std::optional<Permeability> permeability_of(const Parameters& parameters, const Bodies& bodies, double momentum,
                                            std::int64_t fluid, std::int64_t cells);

}  // namespace perturb::lbm
