// A kiosk's word to who passes by.
#pragma once

#include <string>

#include "app/ui/panels/panels.h"

namespace perturb {

// Over the foot of the picture, with the scene's title and hint.
void draw_invitation(const Panel& panel, const std::string& words);

}  // namespace perturb
