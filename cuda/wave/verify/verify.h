// Helpers of the theory checks: a tank to measure in, and a boundary condition as a parameter value.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/parameters.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

inline double as_parameter(Boundary boundary) { return static_cast<double>(boundary); }

inline std::unique_ptr<Simulation> make_tank(Backend& backend, int width, int height,
                                             std::map<std::string, double> parameters, bool fp64 = true) {
  Setup setup;
  setup.simulation = "wave";
  setup.width = width;
  setup.height = height;
  setup.parameters = std::move(parameters);
  setup.parameters["precision"] = fp64 ? 1 : 0;
  return wave_simulation().create(backend, setup);
}

}  // namespace perturb::wave
