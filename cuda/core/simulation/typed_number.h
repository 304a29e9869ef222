// Numbers as typed by users.
#pragma once

#include <string>

namespace perturb {

// The text with a decimal point, if it is one number with a decimal comma: "0,5" becomes "0.5". All other texts are
// unchanged. So is "1,250": its comma may separate decimals or thousands, and a wrong guess is wrong by a factor of
// 1000.
std::string with_decimal_point(const std::string& text);

}  // namespace perturb
