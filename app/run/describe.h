// One-line description of the image, for screen readers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/experiment.h"

namespace perturb {

// "Waves, Double slit, step 1200, time 600: Height u from -0.041 (lower left) to 0.043 (middle right), colours from
// -0.05 to 0.05. ..." `view` has every automatic setting resolved. Waits for the device.
std::string describe(Experiment& experiment, const ViewSettings& view);

// Positions of a quantity's minimum and maximum, as fractions of the domain. None where pixel colours do not correspond
// to values: for quantities with depth or shading.
struct Extremes {
  Camera::Point lowest, highest;
};
std::optional<Extremes> find_extremes(Experiment& experiment, const ViewSettings& view, const Diagnostics& now);

// "lower left", "middle", "upper right".
std::string position_text(Camera::Point place);

}  // namespace perturb
