// Standard folders for a program's files (XDG Base Directory Specification) and for the user's own files.
#pragma once

#include <string>

namespace perturb {

// "$XDG_CONFIG_HOME/perturb", otherwise in ~/.config; the others in the same way. A variable that is not an absolute
// path counts as not set. Empty if HOME is not set either: then nothing is saved.
std::string config_folder();
std::string data_folder();
std::string cache_folder();
std::string state_folder();

// The desktop's folders for images and documents (user-dirs.dirs), otherwise those with these names in the home folder,
// otherwise the home folder, otherwise the folder in which the program was started ("."). `note` receives a message if
// user-dirs.dirs cannot be read.
std::string pictures_folder(std::string* note = nullptr);
std::string documents_folder(std::string* note = nullptr);

// Expands "~" and "~/waves.h5" in a typed path. Leaves other paths unchanged, and all of them if there is no home
// folder.
std::string with_home_folder(const std::string& path);

}  // namespace perturb
