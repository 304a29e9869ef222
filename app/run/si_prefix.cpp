#include "app/run/si_prefix.h"

#include <cmath>

namespace perturb {

PrefixedNumber with_si_prefix(double value) {
  static constexpr PrefixedNumber prefixes[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                                                {1, ""},     {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
  if (value == 0 || !std::isfinite(value)) return {value, ""};
  for (const auto& [factor, prefix] : prefixes)
    if (std::abs(value) >= factor) return {value / factor, prefix};
  return {value / 1e-9, "n"};
}

}  // namespace perturb
