// Instruments as words of a command line, for whoever begins the run again.
#pragma once

#include <string>
#include <vector>

#include "app/instruments/instrument.h"

namespace perturb {

// "cut,0.55,0,0.55,1,height,average": what parse_instrument reads back to the same places.
std::string to_argument(const Instrument& instrument);
// "--instrument", its word, and so on for each.
std::vector<std::string> to_arguments(const std::vector<Instrument>& instruments);

}  // namespace perturb
