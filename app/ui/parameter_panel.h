// The tables of a simulation as rows: its parameters by group, and any other list of values.
#pragma once

#include "app/ui/panels.h"

namespace perturb {

// The parameters of the experiment, each group under its heading, with "Reset all" where something has been changed.
void draw_parameters(const Panel& panel);

}  // namespace perturb
