// Diagnostic values of a run, by name.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

inline double scalar(const Diagnostics& diagnostics, const std::string& id) {
  const Scalar* found = diagnostics.scalar(id);
  if (!found) ADD_FAILURE() << "no scalar " << id;
  return found ? found->value : 0;
}
inline double scalar(Simulation& simulation, const std::string& id) {
  return scalar(simulation.diagnostics({}, true), id);
}

inline Gauge gauge_of(const Simulation& simulation, const std::string& id) {
  for (const Gauge& gauge : simulation.gauges())
    if (gauge.id == id) return gauge;
  ADD_FAILURE() << "no gauge " << id;
  return {};
}

}  // namespace perturb
