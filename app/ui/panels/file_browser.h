// Choosing a file or a folder in the window, and what an image is to be.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_file_browser(const Panel& panel);
// Shown while an image waits that can be more than one thing.
void draw_image_use(const Panel& panel);

}  // namespace perturb
