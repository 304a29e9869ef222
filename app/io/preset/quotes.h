// Quoted names for messages about files and the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/value_info.h"

namespace perturb {

inline std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

}  // namespace perturb
