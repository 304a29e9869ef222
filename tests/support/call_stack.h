// The functions of the program that are on the stack, by name: for tests that follow a call.
#pragma once

#include <string>
#include <vector>

namespace perturb {

// Outermost first: "Session::handle", without namespace, template arguments, parameters and lambdas. Functions that the
// compiler has inlined are missing. Empty if the symbols of this program cannot be read (no `nm`).
std::vector<std::string> call_stack();

}  // namespace perturb
