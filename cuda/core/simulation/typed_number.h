// Numbers as people type them.
#pragma once

#include <string>

namespace perturb {

// The text with a decimal point, where it is one number with a decimal comma: "0,5" becomes "0.5". All other texts stay
// as they are. So does "1,250": its comma may separate decimals or thousands, and a wrong guess is wrong by 1000 times.
std::string with_decimal_point(const std::string& text);

}  // namespace perturb
