// Functions of the desktop.
#pragma once

#include <string>

namespace perturb {

// Shows a folder in the desktop's file manager (xdg-open) without waiting. Throws Error, naming the folder, if there is
// no such program.
void show_folder(const std::string& folder);

// Asks the desktop not to blank or lock the screen, from now on or no longer, while this X11 window exists
// (xdg-screensaver). Does nothing where that program is not installed.
void hold_off_screen_saver(unsigned long window, bool on);

}  // namespace perturb
