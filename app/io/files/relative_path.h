// Files that another file names.
#pragma once

#include <string>

namespace perturb {

// The path of the file that `file` calls `name`, from `file`'s folder; empty where it lies outside of that folder and
// those below it, links followed.
std::string resolve_relative_path(const std::string& file, const std::string& name);

}  // namespace perturb
