// Keeps a command from writing over what it reads.
#pragma once

#include <string>

namespace perturb {

// Whether both paths are the same file, also by "./a" and "a", by a symbolic link or by a hard link.
bool are_one_file(const std::string& a, const std::string& b);
// Throws InputError if the file `output`, which `option` names, is the file `input`, which the command reads.
void require_not_read(const std::string& option, const std::string& output, const std::string& input);

}  // namespace perturb
