// The dialog that asks for the title of a user preset.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_preset_prompt(const Panel& panel);

}  // namespace perturb
