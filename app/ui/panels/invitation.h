// The kiosk's invitation to visitors.
#pragma once

#include <string>

#include "app/ui/panels/panels.h"

namespace perturb {

// At the bottom of the view, with the scene's title and hint.
void draw_invitation(const Panel& panel, const std::string& words);

}  // namespace perturb
