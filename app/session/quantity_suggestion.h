// Deeds that show in another quantity than the one on the screen.
#pragma once

#include <vector>

#include "app/run/run_status.h"
#include "app/session/ui_state.h"

namespace perturb {

// What to offer after these actions were done while `shown` is on the screen; nothing where they show in it. By the
// simulation's table of actions.
QuantitySuggestion suggest_quantity(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown);

}  // namespace perturb
