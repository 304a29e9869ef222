// The tables of a simulation as rows: its parameters by group, and any other list of values.
#pragma once

#include <cstddef>
#include <optional>

#include "app/ui/panels/panels.h"

namespace perturb {

// The parameters of the experiment, each group under its heading, with "Reset all" where something has been changed.
void draw_parameters(const Panel& panel);

// The row of the parameter with this index in the table; the new value, when the user has chosen one. What an open
// lesson keeps as it is cannot be changed.
std::optional<double> draw_parameter_row(const Panel& panel, std::size_t index);

}  // namespace perturb
