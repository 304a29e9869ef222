// A value with an SI prefix, for rates and times that span many orders of magnitude.
#pragma once

namespace perturb {

// The number is between 1 and 1000: {12.3, "G"} for 1.23e10. From nano to tera; without a prefix for 0 and for values
// that are not finite.
struct PrefixedNumber {
  double number = 0;
  const char* prefix = "";
};
PrefixedNumber with_si_prefix(double value);

}  // namespace perturb
