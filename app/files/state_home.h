// Where the program keeps what it remembers between two runs.
#pragma once

#include <string>

namespace perturb {

// $XDG_STATE_HOME/perturb, else ~/.local/state/perturb; empty where there is neither. It need not be there yet.
std::string state_home();

}  // namespace perturb
