// The icon of the window on the desktop.
#pragma once

#include "cuda/core/paint/picture.h"

namespace perturb {

// The program's icon, as installed (assets/icon.png).
Picture window_icon();

}  // namespace perturb
