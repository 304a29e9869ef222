// Functions of the desktop.
#pragma once

#include <string>

namespace perturb {

// Shows a folder in the desktop's file manager (xdg-open) without waiting. Throws Error, naming the folder, if there is
// no such program.
void show_folder(const std::string& folder);

}  // namespace perturb
