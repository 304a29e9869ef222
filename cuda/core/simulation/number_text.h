// Numbers as text. Implemented in number_text.cpp; in number_text_stdio.cpp if the C++ library has no from_chars and
// to_chars for floating point.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

// Reads the whole of `text` as a number: "-1", "+0.5", "1e3". At most one sign: "+-1" is invalid. Returns false, with
// an unspecified `value`, if it is not a number or beyond the range of double; "inf" and "nan" are accepted, for the
// caller to judge.
bool read_number(std::string_view text, double& value);

// The shortest text that reads back as the same double or float: "0.1", "1e-07", "inf".
std::string shortest_text(double value);
std::string shortest_text(float value);

}  // namespace perturb
