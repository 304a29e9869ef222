// What the desktop does for the program.
#pragma once

#include <string>

namespace perturb {

// Has the desktop show a folder (xdg-open), and waits for nothing. Throws Error, in a sentence that names the folder,
// where there is no such program.
void show_folder(const std::string& folder);

}  // namespace perturb
