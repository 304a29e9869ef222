// Values in TOML syntax, for writing presets and scripts.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/value_info.h"

namespace perturb {

// The shortest text that reads back to exactly this number: "5", "0.1".
std::string exact_number(double value);
// The same as a TOML float: "5" would be an integer, which has no negative zero and a limited range.
std::string toml_real(double value);
std::string toml_real_pair(double a, double b);
// In quotation marks, with TOML escapes for quotes, backslashes and control characters.
std::string toml_string(const std::string& text);
// A list of such strings.
std::string toml_list(const std::vector<std::string>& texts);
// A value of the type in its ValueInfo: a number, true or false, or a choice's id.
std::string toml_value(const ValueInfo& info, double value);

}  // namespace perturb
