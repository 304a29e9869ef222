// Where the desktop has a program keep its files (XDG Base Directory Specification), and where a person's own lie.
#pragma once

#include <string>

namespace perturb {

// "$XDG_CONFIG_HOME/perturb", else in ~/.config; the others likewise. A variable that is no absolute path counts as
// not set. Empty where HOME is not set either: then nothing is kept.
std::string config_folder();
std::string data_folder();
std::string cache_folder();
std::string state_folder();

// The desktop's folders for pictures and documents (user-dirs.dirs), else those of these names in the home folder;
// where there is none, the home folder, and without one the folder that the program was started in ("."). Why
// user-dirs.dirs cannot be read goes to `note`.
std::string pictures_folder(std::string* note = nullptr);
std::string documents_folder(std::string* note = nullptr);

// A path that was typed: "~" and "~/waves.h5" begin with the home folder. Others stay, and all where there is none.
std::string with_home_folder(const std::string& path);

}  // namespace perturb
