#include "app/run/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Numbers from a thousandth to a hundred thousand are written without an exponent.
constexpr int smallest_plain = -3, largest_plain = 4;
// Digits that can be read at a glance; labels that need more to differ get an offset.
constexpr int max_figures = 5;
// Differences from an offset are at most this many steps, and have at most this many decimals.
constexpr double max_steps = 10;
constexpr int max_decimals = 2;

std::string superscript(int number) {
  static const char* const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = number < 0 ? "\u207b" : "";
  for (const char digit : std::to_string(std::abs(number))) text += digits[digit - '0'];
  return text;
}

// Exponent of ten of the first digit.
int decade_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

std::string fixed(double value, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  // "-0.00" is written as zero.
  bool zero = true;
  for (const char* c = text; *c; ++c) zero = zero && !(*c >= '1' && *c <= '9');
  return zero ? "0" : text;
}

// Texts of values at multiples of `step`, and the power of ten that they leave out: always, if they would otherwise
// have more than this number of decimals.
TickTexts plain_texts(const std::vector<double>& values, double step, int decimals_allowed = 17) {
  TickTexts result;
  double largest = step;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const int decade = decade_of(largest), places = -decade_of(step);
  if (decade < smallest_plain || decade > largest_plain || (decade == smallest_plain && places > max_figures) ||
      places > decimals_allowed)
    result.exponent = decade;
  // Multiplies if the power itself would be subnormal.
  const auto scaled = [&](double value) {
    return result.exponent < -300 ? value * 1e300 * std::pow(10.0, -result.exponent - 300)
                                  : value / std::pow(10.0, result.exponent);
  };
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(scaled(step)) - 1e-6)), 0, 17);
  for (const double value : values)
    result.texts.push_back(std::abs(value) < 1e-9 * step ? "0" : fixed(scaled(value), decimals));
  if (result.exponent != 0) result.factor = "\u00d710" + superscript(result.exponent);
  return result;
}

// An offset with its digits up to that power of ten.
std::string reference_text(double offset, int last_figure) {
  const int decade = decade_of(std::abs(offset));
  if (decade >= smallest_plain && decade < 6) return fixed(offset, std::clamp(-last_figure, 0, 17));
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", std::clamp(decade - last_figure + 1, 1, 17), offset);
  return text;
}

// Whole powers of ten, or, on a short axis, also 2 and 5 times them; as logarithms.
std::vector<double> logarithmic_ticks(double low, double high, int max_ticks) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(low + 1e-9)), last = static_cast<int>(std::ceil(high - 1e-9));
  const bool fine = high - low < 1.7;
  const int stride = std::max(1, (last - first + max_ticks - 1) / max_ticks);
  for (int power = first; power <= last; power += fine ? 1 : stride)
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit > 1 && !fine) break;
      const double tick = power + std::log10(digit);
      if (tick > low - 1e-9 && tick < high + 1e-9) ticks.push_back(tick);
    }
  return ticks;
}

// A part of a decade, which may have no such tick: round numbers, as logarithms.
Axis part_of_decade(double low, double high, int max_ticks) {
  Axis axis;
  const std::vector<double> values = nice_ticks(std::pow(10.0, low), std::pow(10.0, high), max_ticks);
  for (const double value : values) axis.ticks.push_back(std::log10(value));
  axis.labels = tick_texts(values);
  return axis;
}

}  // namespace

std::vector<double> nice_ticks(double minimum, double maximum, int max_ticks) {
  std::vector<double> ticks;
  if (!(maximum > minimum) || !std::isfinite(maximum - minimum) || max_ticks < 1) return ticks;
  const double raw = (maximum - minimum) / max_ticks, decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * decade;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= raw * (1 - 1e-9)) {
      step = factor * decade;
      break;
    }
  // Counts instead of comparing: next to a large number a small step is lost to rounding, and the loop would not end.
  const double first = std::ceil(minimum / step - 1e-6);
  for (int n = 0; n <= max_ticks + 1; ++n) {
    const double tick = (first + n) * step;
    if (tick > maximum + 1e-6 * step) break;
    if (ticks.empty() || tick > ticks.back()) ticks.push_back(tick);
  }
  return ticks;
}

TickTexts tick_texts(const std::vector<double>& ticks) {
  if (ticks.empty()) return {};
  if (ticks.size() == 1) {
    TickTexts one;
    one.texts.push_back(format_number(ticks.front()));
    return one;
  }
  double step = ticks[1] - ticks[0], largest = 0;
  for (std::size_t i = 1; i < ticks.size(); ++i) step = std::min(step, ticks[i] - ticks[i - 1]);
  for (const double tick : ticks) largest = std::max(largest, std::abs(tick));

  if (decade_of(largest) - decade_of(step) < max_figures) return plain_texts(ticks, step);
  // The roundest offset that leaves short differences.
  const double middle = 0.5 * ticks.front() + 0.5 * ticks.back();
  double offset = ticks.front();
  int last_figure = decade_of(step);
  for (int power = decade_of(largest); power > decade_of(step); --power) {
    const double unit = std::pow(10.0, power), candidate = std::round(middle / unit) * unit;
    if (!std::isfinite(candidate) || std::abs(ticks.front() - candidate) >= max_steps * step ||
        std::abs(ticks.back() - candidate) >= max_steps * step)
      continue;
    offset = candidate;
    last_figure = power;
    break;
  }
  std::vector<double> rest;
  for (const double tick : ticks) rest.push_back(tick - offset);
  TickTexts result = plain_texts(rest, step, max_decimals);
  if (std::set<std::string>(result.texts.begin(), result.texts.end()).size() < result.texts.size()) {
    // The offset cost the last digits: relative to the first tick, the differences are exact.
    offset = ticks.front();
    last_figure = decade_of(step);
    for (std::size_t i = 0; i < ticks.size(); ++i) rest[i] = ticks[i] - offset;
    result = plain_texts(rest, step, max_decimals);
  }
  result.offset = offset;
  result.reference = reference_text(offset, last_figure);
  return result;
}

Message axis_title(const Message& name, const TickTexts& labels) {
  const Message factor = labels.factor.empty() || (name.empty() && labels.reference.empty())
                             ? Message::value(labels.factor)
                             : Message::value(" (" + labels.factor + ")");
  if (labels.reference.empty()) return labels.factor.empty() ? name : Message("{}{}", name, factor);
  return name.empty() ? Message("difference from {}{}", labels.reference, factor)
                      : Message("{}: difference from {}{}", name, labels.reference, factor);
}

std::string power_text(double logarithm) {
  const int power = static_cast<int>(std::floor(logarithm + 1e-9));
  const int digit = static_cast<int>(std::lround(std::pow(10.0, logarithm - power)));
  if (power >= -2 && power <= 3) return format_number(digit * std::pow(10.0, power));
  return (digit == 1 ? "" : std::to_string(digit) + "\u00d7") + "10" + superscript(power);
}

Axis make_axis(double low, double high, bool logarithmic, int max_ticks) {
  Axis axis;
  if (!logarithmic) {
    // A single number does not define a scale.
    for (int more = max_ticks; axis.ticks.size() < 2 && more <= 4 * max_ticks; ++more)
      axis.ticks = nice_ticks(low, high, more);
    axis.labels = tick_texts(axis.ticks);
    return axis;
  }
  axis.ticks = logarithmic_ticks(low, high, max_ticks);
  if (axis.ticks.size() < 2 && high > low && high - low < 1) return part_of_decade(low, high, max_ticks);
  for (const double tick : axis.ticks) axis.labels.texts.push_back(power_text(tick));
  return axis;
}

}  // namespace perturb
