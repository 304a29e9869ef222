// The integration cell at a point of the membrane, for the microscope: its patches with their weights, its quadrature
// points and the solution.
#pragma once

#include "cuda/core/simulation/inspection.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// The point lies in the square. Copies the coefficients of its patches only; waits for the device.
Inspection inspect_cell(const Discretisation& membrane, const Parameters& parameters, double x, double y);

}  // namespace perturb::membrane
