// Instruments as command-line arguments, to reproduce a run.
#pragma once

#include <string>
#include <vector>

#include "app/instruments/instrument.h"

namespace perturb {

// "cut,0.55,0,0.55,1,height,average": parse_instrument reads it back to the same points.
std::string to_argument(const Instrument& instrument);
// "--instrument" and its argument for each instrument.
std::vector<std::string> to_arguments(const std::vector<Instrument>& instruments);

}  // namespace perturb
