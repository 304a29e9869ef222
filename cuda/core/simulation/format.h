// Numbers as text: printed for the user, and read. read_number and shortest_text are implemented in number_text.cpp; in
// number_text_stdio.cpp if the C++ library has no from_chars and to_chars for floating point.
#pragma once

#include <string>
#include <string_view>

#include "cuda/core/backend/message.h"

namespace perturb {

// With `digits` significant digits and no trailing zeros: "0.05", "1.2e-07".
std::string format_number(double value, int digits = 6);
// A number with its unit; the number alone if there is no unit.
Message with_unit(std::string number, const std::string& unit);

// Reads the whole of `text` as a number: "-1", "+0.5", "1e3". At most one sign: "+-1" is invalid. Returns false, with
// an unspecified `value`, if it is not a number or beyond the range of double; "inf" and "nan" are accepted, for the
// caller to judge.
bool read_number(std::string_view text, double& value);

// The shortest text that reads back as the same double or float: "0.1", "1e-07", "inf".
std::string shortest_text(double value);
std::string shortest_text(float value);

// For numbers typed by users: the text with a decimal point, if it is one number with a decimal comma: "0,5" becomes
// "0.5". All other texts are unchanged. So is "1,250": its comma may separate decimals or thousands, and a wrong guess
// is wrong by a factor of 1000.
std::string with_decimal_point(const std::string& text);

}  // namespace perturb
