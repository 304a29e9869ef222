// A language for tests that consists of Greek letters.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

std::string pseudo_localized(std::string_view text);

}  // namespace perturb
