// Ticks of an axis and their labels. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace perturb {

// Round numbers between `minimum` and `maximum`, at most `most` of them (one or two more if the range ends exactly on
// one).
std::vector<double> nice_ticks(double minimum, double maximum, int most);

// Labels of an axis. The value is text·10^exponent + offset; `common` shows this part once for all of them.
struct TickTexts {
  std::vector<std::string> texts;  // one for each tick, all different
  int exponent = 0;
  double offset = 0;
  std::string common;  // "×10⁴", "+ 16.7", "×10⁻⁶ + 16.7"; empty if the texts are the values
};

// As many digits as are needed to distinguish neighbours. If these are too many to read, the common part is separate,
// as usual in plots: a power of ten, and if necessary an offset.
TickTexts tick_texts(const std::vector<double>& ticks);

struct Axis {
  std::vector<double> ticks;  // positions: base-10 logarithms on a logarithmic axis
  TickTexts labels;
};
// Logarithmic: `low` and `high` are base-10 logarithms, the numbers at the axis are powers of ten.
Axis make_axis(double low, double high, bool logarithmic, int most);

// Number of a logarithmic axis: "10⁻³", "2×10⁵", but "0.01" and "500".
std::string power_text(double logarithm);

}  // namespace perturb
