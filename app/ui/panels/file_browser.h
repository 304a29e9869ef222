// The dialog in which a file or folder is chosen, and the one that asks how to use an image.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

void draw_file_browser(const Panel& panel, FileBrowserState& own);
// Shown while an image is pending that can be used in several ways.
void draw_image_use(const Panel& panel);

}  // namespace perturb
