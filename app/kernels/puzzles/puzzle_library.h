// Parts of a puzzle's compiled library besides its kernel.
#pragma once

#include <string>

#include "app/edited/process.h"

namespace perturb {

// Throws CompileError if the library has variables other than those of the program, or uses functions or variables
// other than those of mathematics: memory in which no access is counted. A text can hide them from
// counted_puzzle_text, but not from the linker.
void check_puzzle_library(const Descriptor& library, const std::string& text);

}  // namespace perturb
