// A picture on the clipboard of the desktop.
#pragma once

#include "cuda/core/paint/picture.h"

namespace perturb {

// Gives the picture, as PNG, to the program that keeps a clipboard for others: wl-copy under Wayland, else xclip.
// Throws Error, in a sentence with a remedy, where there is none or it fails.
void copy_picture_to_clipboard(const Picture& picture);

}  // namespace perturb
