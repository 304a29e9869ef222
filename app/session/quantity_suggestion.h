// Suggests a quantity that shows the last action if the current one does not.
#pragma once

#include <vector>

#include "app/run/run_status.h"
#include "app/session/ui_state.h"

namespace perturb {

// The suggestion after these actions while `shown` is displayed; empty if they are visible in it. Uses the simulation's
// table of actions.
QuantitySuggestion suggest_quantity(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown);

}  // namespace perturb
