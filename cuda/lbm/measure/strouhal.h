// Reference values for the vortex shedding of a circular cylinder, and their range of validity.
#pragma once

#include <cstddef>
#include <string>

#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// The Strouhal number f D/U of a circular cylinder in a wide two-dimensional stream: Henderson's computations (J. Fluid
// Mech. 352, 1997) as fitted by Williamson & Brown (J. Fluids Struct. 12, 1998), for Reynolds numbers of 50 to 1000; 0
// elsewhere. At 100 it is 0.167, where 0.164 is measured (Williamson, Annu. Rev. Fluid Mech. 28, 1996). Above 180
// real wakes become three-dimensional, which this one cannot.
double expected_strouhal(double reynolds);

struct Expected {
  double strouhal = 0;  // 0: none
  std::string why_not;  // message; empty if there is a value, and if the body is not a cylinder in a stream
};
// For one of `bodies` in a domain that is `breadth` cells wide across the stream.
Expected expected_of(const Parameters& parameters, const Bodies& bodies, std::size_t body, Stream stream, int width,
                     double reynolds);

}  // namespace perturb::lbm
