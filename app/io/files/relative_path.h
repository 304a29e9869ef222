// Paths of files that another file names.
#pragma once

#include <string>

namespace perturb {

// The path of the file that `file` calls `name`, relative to the folder of `file`. Empty if it is outside that folder
// and its subfolders after links are resolved.
std::string resolve_relative_path(const std::string& file, const std::string& name);

}  // namespace perturb
