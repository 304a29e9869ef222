// The dialog in which a file or folder is chosen, and the one that asks how to use an image.
#pragma once

#include <cstddef>

#include "app/ui/panels/panel.h"

namespace perturb {

struct FileBrowserState {
  int opened = 0, listed = 0;  // of FileBrowsing, to which the rest belongs
  char name[1024] = "";        // the file's name or whole path; typing selects among the listed files
  std::size_t chosen = 0;      // index of the chosen line
  bool by_arrows = false;      // the line was chosen with the arrow keys, in this folder
  bool just_opened = false;    // just opened, or just moved to another folder
  bool name_is_new = false;    // typed since the last error, which is then not shown
};

void draw_file_browser(const Panel& panel, FileBrowserState& own);
// Shown while an image is pending that can be used in several ways.
void draw_image_use(const Panel& panel);

}  // namespace perturb
