// Maps values to slider positions and back. Pure functions.
#pragma once

#include <string>

#include "cuda/core/simulation/parameters.h"

namespace perturb {

// 0 at the minimum, 1 at the maximum; linear or logarithmic as in the record.
double slider_fraction(const ValueInfo& info, double value);
// The value there, rounded to the resolution of a manual drag (a 200th of the range; three digits on a logarithmic
// scale) and clamped to the range.
double slider_value(const ValueInfo& info, double fraction);

// The record of a slider whose value was `original` and is `value` now. A linear range much wider than that is replaced
// by its useful part: a tenth to ten times the original value on a logarithmic scale, or a hundredth of the range for
// one that was zero. A value outside that was typed is included.
ValueInfo useful_range(const ValueInfo& info, double original, double value);

// A number with at most `digits` significant digits: "0.07", "1.2e+06".
std::string number_text(double value, int digits = 4);
// A number with its unit, if it has one, after a space that does not break.
Message value_with_unit(const std::string& number, const std::string& unit);
// Whether the name contains the unit as a word: "Height" and "height".
bool names_unit(const Message& name, const std::string& unit);
// The name of a quantity with its unit, if it has one that the name does not contain: "Depth, length", but "Height".
Message name_with_unit(const Message& name, const std::string& unit);
// The number with its unit; the label of a choice; "on" or "off".
Message value_text(const ValueInfo& info, double value);
// With separated thousands: "1 234 567".
std::string grouped(long long value);

}  // namespace perturb
