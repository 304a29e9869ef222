// A language for tests, whose letters are Greek ones.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

std::string pseudo_localized(std::string_view text);

}  // namespace perturb
