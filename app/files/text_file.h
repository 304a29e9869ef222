// Reading a file of text whole.
#pragma once

#include <string>

namespace perturb {

// `what` names it in messages: "preset file". Throws InputError in a sentence when there is none or it cannot be read.
std::string read_text_file(const std::string& path, const std::string& what);

}  // namespace perturb
