#include "app/ui/widgets/slider_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace perturb {

namespace {

// A logarithmic scale whose minimum is zero begins above it: by default six decades below its maximum.
double log_start(const ValueInfo& info) {
  if (info.minimum > 0) return info.minimum;
  return info.scale_start > 0 ? info.scale_start : info.maximum * 1e-6;
}

bool is_log(const ValueInfo& info) {
  return info.scale == Scale::logarithmic && info.minimum >= 0 && info.maximum > info.minimum;
}

// The double nearest to the first decimal digits of the value: 0.3, not 0.30000000000000004.
double tidy(double value, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return std::strtod(text, nullptr);
}

}  // namespace

double slider_fraction(const ValueInfo& info, double value) {
  if (!(info.maximum > info.minimum)) return 0;
  if (is_log(info)) {
    const double start = log_start(info);
    if (value <= start) return 0;
    return std::min(1.0, std::log(value / start) / std::log(info.maximum / start));
  }
  return std::clamp((value - info.minimum) / (info.maximum - info.minimum), 0.0, 1.0);
}

double slider_value(const ValueInfo& info, double fraction) {
  if (fraction <= 0) return info.minimum;
  if (fraction >= 1) return info.maximum;
  const bool is_whole = info.kind != ValueKind::real;
  if (is_log(info)) {
    const double start = log_start(info), value = start * std::pow(info.maximum / start, fraction);
    return std::clamp(is_whole ? std::round(value) : tidy(value, "%.3g"), info.minimum, info.maximum);
  }
  if (is_whole) return std::round(info.minimum + fraction * (info.maximum - info.minimum));
  const double range = info.maximum - info.minimum;
  const double step = std::pow(10.0, std::floor(std::log10(range / 200)));
  const double rounded = std::round((info.minimum + fraction * range) / step) * step;
  return std::clamp(tidy(rounded, "%.12g"), info.minimum, info.maximum);
}

ValueInfo useful_range(const ValueInfo& info, double original, double value) {
  constexpr double min_share = 0.05;               // of the range, below which a value is too small for a slider
  constexpr double factor = 10, wide_range = 100;  // wide: where a step of 1/200 is coarse for what is zero
  ValueInfo useful = info;
  const bool is_number = info.kind == ValueKind::real || info.kind == ValueKind::integer;
  if (!is_number || info.scale != Scale::linear) return useful;
  if (original > 0 && value > 0 && info.kind == ValueKind::real && original < min_share * info.maximum) {
    useful.scale = Scale::logarithmic;
    useful.minimum = std::max(info.minimum, std::min(original / factor, value));
    useful.maximum = std::min(info.maximum, std::max(original * factor, value));
  } else if (original == 0 && info.maximum - info.minimum >= wide_range) {
    useful.minimum = std::min(info.minimum / 100, value);
    useful.maximum = std::max(info.maximum / 100, value);
  }
  return useful;
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  char text[40];
  // Below a million all digits before the point are shown.
  if (std::abs(value) < 1e6 && (value == std::round(value) || std::abs(value) >= std::pow(10, digits)))
    std::snprintf(text, sizeof text, "%.0f", value == 0 ? 0.0 : value);
  else
    std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

Message value_with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? Message::value(number) : Message("{}\u00a0{}", number, Message(unit));
}

bool names_unit(const Message& name, const std::string& unit) {
  const auto lower = [](std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  };
  const std::string words = " " + lower(name.english()) + " ";
  return !unit.empty() && words.find(" " + lower(unit) + " ") != std::string::npos;
}

Message name_with_unit(const Message& name, const std::string& unit) {
  return unit.empty() || names_unit(name, unit) ? name : Message("{}, {}", name, Message(unit));
}

Message value_text(const ValueInfo& info, double value) {
  if (info.kind == ValueKind::boolean) return value != 0 ? "on" : "off";
  if (info.kind == ValueKind::choice) {
    const auto index = static_cast<std::size_t>(value);
    return index < info.choices.size() ? Message(info.choices[index].label) : Message::value(number_text(value));
  }
  if (info.kind == ValueKind::formula) return Message::value(info.format(value));
  if (value == 0 && !info.zero.empty()) return info.zero;
  return value_with_unit(number_text(value), info.unit);
}

std::string grouped(long long value) {
  std::string digits = std::to_string(value);
  const long long first = value < 0 ? 1 : 0;
  for (long long i = static_cast<long long>(digits.size()) - 3; i > first; i -= 3)
    digits.insert(static_cast<std::size_t>(i), "\u00a0");
  return digits;
}

}  // namespace perturb
