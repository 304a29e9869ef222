// Where a value lies on its slider, and which value a place on the slider means. Pure functions.
#pragma once

#include <string>

#include "cuda/core/simulation/value_info.h"

namespace perturb {

// 0 at the minimum, 1 at the maximum; linear or logarithmic as the record says.
double slider_fraction(const ValueInfo& info, double value);
// The value there, rounded to what a hand on a slider can mean (a 200th of the range; three digits on a logarithmic
// scale), inside the range.
double slider_value(const ValueInfo& info, double fraction);

// A number in at most `digits` significant figures: "0.07", "1.2e+06".
std::string number_text(double value, int digits = 4);
// The same with the unit behind a narrow space; a choice's label; "on" or "off".
std::string value_text(const ValueInfo& info, double value);
// Thousands apart: "1 234 567".
std::string grouped(long long value);

}  // namespace perturb
