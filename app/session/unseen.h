// Deeds that show in another quantity than the one on the screen.
#pragma once

#include <cstddef>

#include "app/run/experiment.h"
#include "app/session/ui_state.h"

namespace perturb {

// What to offer after the actions that the experiment has logged since its log had `before` entries, while `shown` is
// on the screen; nothing where they show in it. By the simulation's table of actions.
Offer offer_after(Experiment& experiment, std::size_t before, const Quantity& shown);

}  // namespace perturb
