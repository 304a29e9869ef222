// What is on the screen, for who does not see it: one line of text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/experiment.h"

namespace perturb {

// "Waves, Double slit, step 1200, time 600: Height u from -0.041 (lower left) to 0.043 (middle right), colours from
// -0.05 to 0.05. ..." `view` has nothing left open. Waits for the device.
std::string describe(Experiment& experiment, const ViewSettings& view);

// Where in the domain a quantity is lowest and highest, in fractions. None where the picture's colours do not tell
// values: of what has depth, and of what is lit.
struct Extremes {
  Camera::Point lowest, highest;
};
std::optional<Extremes> find_extremes(Experiment& experiment, const ViewSettings& view, const Diagnostics& now);

// "lower left", "middle", "upper right".
std::string position_text(Camera::Point place);

}  // namespace perturb
