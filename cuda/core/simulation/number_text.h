// Numbers as people write them. number_text.cpp; number_text_stdio.cpp where the C++ library has no from_chars and
// to_chars of floating point.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

// The whole of `text` as a number: "-1", "+0.5", "1e3". One sign at most: "+-1" is none. False, and nothing in `value`
// to go by, for what is no number or beyond the range of double; "inf" and "nan" are read, for the caller to judge.
bool read_number(std::string_view text, double& value);

// The shortest text that reads as the same number, of double precision or of single: "0.1", "1e-07", "inf".
std::string shortest_text(double value);
std::string shortest_text(float value);

}  // namespace perturb
