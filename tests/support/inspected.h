// Numbers of the microscope by their label.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/simulation/inspection.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Content of the microscope at a position, in parts of the domain.
inline Inspection inspect(Simulation& simulation, double x, double y) {
  return simulation.find<Inspectable>()->inspect(x, y);
}

inline std::vector<double> inspected(const Inspection& inspection, const std::string& label) {
  for (const InspectedNumber& number : inspection.numbers)
    if (number.label.english() == label) return number.values;
  ADD_FAILURE() << "\"" << inspection.title << "\" has no number \"" << label << "\"";
  return std::vector<double>(64, 0.0);
}

}  // namespace perturb
