// Numbers as people write them.
#pragma once

#include <string_view>

namespace perturb {

// The whole of `text` as a number: "-1", "+0.5", "1e3". One sign at most: "+-1" is none. False, and nothing in `value`
// to go by, for what is no number or beyond the range of double; "inf" and "nan" are read, for the caller to judge.
bool read_number(std::string_view text, double& value);

}  // namespace perturb
