// Numbers as text for the user.
#pragma once

#include <cstddef>
#include <string>

namespace perturb {

// "512 bytes", "1.50 GiB".
std::string format_bytes(std::size_t bytes);
// With `digits` significant digits and no trailing zeros: "0.05", "1.2e-07".
std::string format_number(double value, int digits = 6);

}  // namespace perturb
