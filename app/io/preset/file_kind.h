// What a file is that somebody opens.
#pragma once

#include <string>
#include <vector>

namespace perturb {

enum class FileKind { state, preset, script, lesson, image };

// By its ending, and for TOML by what it says. Throws InputError for one that cannot be read, and for another kind of
// file, with what can be opened.
FileKind kind_of_file(const std::string& path);

// The endings of saved states, and those of all files that can be opened, in small letters, without the dot.
const std::vector<std::string>& endings_of_states();
const std::vector<std::string>& endings_of_files();

}  // namespace perturb
