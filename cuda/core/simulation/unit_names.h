// Units of numbers that are fractions of the domain. Front ends may show them as lengths.
#pragma once

namespace perturb {

inline constexpr const char* unit_of_width = "of the width";
inline constexpr const char* unit_of_height = "of the height";

}  // namespace perturb
