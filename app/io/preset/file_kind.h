// Detects the kind of a file that the user opens.
#pragma once

#include <string>
#include <vector>

namespace perturb {

enum class FileKind { state, preset, script, lesson, image, kernel, colormap };

// By its ending, and for TOML by its contents. Throws InputError if the file cannot be read or is of another kind; the
// message lists what can be opened.
FileKind kind_of_file(const std::string& path);

// The endings of saved states, and those of all files that can be opened, in lower case, without the dot. States of
// earlier versions end in .h5; loading one says how to convert it.
const std::vector<std::string>& endings_of_states();
const std::vector<std::string>& endings_of_files();

}  // namespace perturb
