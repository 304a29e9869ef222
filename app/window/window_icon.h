// The picture that the desktop shows for the window.
#pragma once

#include "cuda/core/paint/picture.h"

namespace perturb {

// The program's icon, as it is installed (assets/icon.png).
Picture window_icon();

}  // namespace perturb
