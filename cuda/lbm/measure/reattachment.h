// Flow behind a step: where it reattaches to the wall.
#pragma once

#include <optional>
#include <vector>

#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// A step at the inlet (left) side of a channel between two walls. Lengths in cells.
struct BackwardStep {
  int edge = 0, height = 0;  // its length along the channel, and across it
  bool upper = false;        // at the upper wall
};
// The step, if it is the only body.
std::optional<BackwardStep> step_of(const Parameters& parameters, const Bodies& bodies, int width, int height);

// Distance from the step to the point where the flow along the wall behind it ceases to go backwards, in cells; 0 if
// it nowhere goes backwards, or up to the end. `shear`: of the flow to the right at this wall, by column.
double reattachment_of(const BackwardStep& step, const std::vector<float>& shear);

// This distance in heights of the step for a developed inflow through half of the channel's height: Erturk, Computers &
// Fluids 37 (2008), table of the first reattachment, which agrees with the measurements of Armaly, Durst, Pereira &
// Schönung (J. Fluid Mech. 127, 1983) as long as these are two-dimensional. `reynolds`: of the mean speed of the inflow
// and the height of the step, half of Erturk's. 0 outside of min_step_reynolds to max_step_reynolds.
double expected_reattachment(double reynolds);
constexpr double min_step_reynolds = 50, max_step_reynolds = 400;

}  // namespace perturb::lbm
