// Ticks of an axis and what is written at them. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace perturb {

// Round numbers between `minimum` and `maximum`, at most `most` of them (one or two more where the range just ends on
// one).
std::vector<double> nice_ticks(double minimum, double maximum, int most);

// What is written at an axis. The number meant is text·10^exponent + offset; `common` says so once for all of them.
struct TickTexts {
  std::vector<std::string> texts;  // one for each tick, no two alike
  int exponent = 0;
  double offset = 0;
  std::string common;  // "×10⁴", "+ 16.7", "×10⁻⁶ + 16.7"; empty where the texts are the numbers
};

// As many digits as tell neighbours apart. Where that were more than people read, what all have in common stands apart,
// as plots in the field have it: a power of ten, and beyond it an offset.
TickTexts tick_texts(const std::vector<double>& ticks);

struct Axis {
  std::vector<double> ticks;  // where they stand: on a logarithmic axis base-10 logarithms
  TickTexts labels;
};
// Logarithmic: `low` and `high` are base-10 logarithms, the numbers at the axis are powers of ten.
Axis make_axis(double low, double high, bool logarithmic, int most);

// "10⁻³", "2×10⁵", but "0.01" and "500": a logarithmic axis' number.
std::string power_text(double logarithm);

}  // namespace perturb
