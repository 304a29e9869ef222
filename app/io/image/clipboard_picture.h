// Copies images to the desktop's clipboard.
#pragma once

#include "cuda/core/paint/pixels.h"

namespace perturb {

// Passes the image as PNG to a clipboard program: wl-copy under Wayland, otherwise xclip. Throws Error with a remedy if
// none is installed or it fails.
void copy_picture_to_clipboard(const Picture& picture);

}  // namespace perturb
