// Ticks of an axis and their labels. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// Round numbers between `minimum` and `maximum`, at most `max_ticks` of them (one or two more if the range ends exactly
// on one).
std::vector<double> nice_ticks(double minimum, double maximum, int max_ticks);

// Labels of an axis. The value is text·10^exponent + offset. Both are shown once, in the title of the axis.
struct TickTexts {
  std::vector<std::string> texts;  // one for each tick, all different
  int exponent = 0;
  double offset = 0;
  std::string factor;     // "×10⁴"; empty: 1
  std::string reference;  // the offset as text, "16.7"; empty: 0
  bool are_values() const { return factor.empty() && reference.empty(); }
};

// As many digits as are needed to distinguish neighbours. If these are too many to read, the texts are multiples of a
// power of ten, and if the values differ little, differences from a round number near their mean.
TickTexts tick_texts(const std::vector<double>& ticks);

// The name of an axis with the part of the values that its labels leave out: "Residual (×10⁻¹⁰)", "Energy: difference
// from 16.7 (×10⁻⁵)". The name may be empty.
Message axis_title(const Message& name, const TickTexts& labels);

struct Axis {
  std::vector<double> ticks;  // positions: base-10 logarithms on a logarithmic axis
  TickTexts labels;
};
// Logarithmic: `low` and `high` are base-10 logarithms, the numbers at the axis are powers of ten.
Axis make_axis(double low, double high, bool logarithmic, int max_ticks);

// Number of a logarithmic axis: "10⁻³", "2×10⁵", but "0.01" and "500".
std::string power_text(double logarithm);

}  // namespace perturb
