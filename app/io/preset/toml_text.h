// Values as TOML writes them, for presets and scripts that the program writes.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/value_info.h"

namespace perturb {

// The shortest text that reads back to exactly this number: "5", "0.1".
std::string exact_number(double value);
// The same as TOML writes a real number: "5" would be a whole one, which has no negative zero and an end.
std::string toml_real(double value);
std::string toml_real_pair(double a, double b);
// In quotation marks; signs that would end it, or are no letters, in TOML's own spelling.
std::string toml_string(const std::string& text);
// A list of such texts.
std::string toml_list(const std::vector<std::string>& texts);
// In the terms of its record: a number, true or false, or a choice's id.
std::string toml_value(const ValueInfo& info, double value);

}  // namespace perturb
