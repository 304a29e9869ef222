#include "app/run/display_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cuda/core/backend/check.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/unit_names.h"

namespace perturb {

namespace {

// The words of which the units of all simulations are composed.
constexpr std::array base_units = {"length", "time", "height", "mass", "cell", "step", "rad"};
constexpr std::size_t longest_name = 24;

// Names of compound units, for simulations without the scene's units: a slider has no space for the whole unit.
struct ShortName {
  const char *unit, *name;
};
constexpr std::array short_names = {
    ShortName{"mass\u00b7length\u00b2/time\u00b2", "energy"}, ShortName{"mass\u00b7length\u00b2/time\u00b3", "power"},
    ShortName{"mass/time\u00b2", "pressure"}, ShortName{"mass\u00b7length/time", "momentum"}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

const UnitScale* find_unit(const DisplayUnits& units, std::string_view of) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const UnitScale& one) { return one.of == of; });
  return found == units.end() ? nullptr : &*found;
}

// An exponent at the start of `rest`, and its length in bytes.
struct Exponent {
  int power = 1;
  std::size_t length = 0;
};
Exponent exponent_at(std::string_view rest) {
  if (rest.starts_with("\u00b2")) return {2, 2};
  if (rest.starts_with("\u00b3")) return {3, 2};
  return {};
}

// Replaces each base in the text of a unit by its displayed name. A slash divides by the next base, or by the next
// parenthesis.
DisplayUnit convert_bases(const DisplayUnits& units, const std::string& unit) {
  DisplayUnit result;
  bool divides = false, in_divisor = false;  // after a slash; inside a parenthesis after one
  for (std::size_t at = 0; at < unit.size();) {
    if (!is_letter(unit[at])) {
      if (unit[at] == '/') divides = true;
      if (unit[at] == '(') {
        in_divisor = divides;
        divides = false;
      }
      if (unit[at] == ')') in_divisor = false;
      result.text += unit[at++];
      continue;
    }
    std::size_t end = at;
    while (end < unit.size() && is_letter(unit[end])) ++end;
    const std::string_view word = std::string_view(unit).substr(at, end - at);
    if (!is_base_unit(word)) return {unit, 1};
    const Exponent exponent = exponent_at(std::string_view(unit).substr(end));
    const UnitScale* own = find_unit(units, word);
    if (own && own->scale) {
      result.factor *= std::pow(*own->scale, divides || in_divisor ? -exponent.power : exponent.power);
      result.text += own->name;
    } else {
      result.text += word;
    }
    result.text += unit.substr(end, exponent.length);
    divides = false;
    at = end + exponent.length;
  }
  return result;
}

// Everything that a [units] table can name.
std::vector<std::string> names_in(const SimulationInfo& info) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const auto add_unit = [&](const std::string& unit) {
    add(unit);
    std::string word;
    for (const char c : unit + " ") {
      if (is_letter(c)) {
        word += c;
        continue;
      }
      if (is_base_unit(word)) add(word);
      word.clear();
    }
  };
  const auto add_value = [&](const ValueInfo& value) {
    add_unit(value.unit);
    add(value.unit.empty() ? "" : value.id);
  };
  for (const Parameter& parameter : info.parameters) add_value(parameter);
  for (const ActionKind& kind : info.actions)
    for (const ValueInfo& field : kind.fields) add_value(field);
  for (const Quantity& quantity : info.quantities) {
    add_unit(quantity.unit);
    add(quantity.id);
  }
  // Of measured angular frequencies.
  if (std::find(names.begin(), names.end(), "1/time") != names.end()) add("rad/time");
  return names;
}

}  // namespace

bool is_base_unit(std::string_view word) {
  return std::any_of(base_units.begin(), base_units.end(), [&](const char* base) { return word == base; });
}

UnitScale parse_unit_scale(const SimulationInfo& info, const std::string& of, const std::string& text) {
  const std::vector<std::string> names = names_in(info);
  if (std::find(names.begin(), names.end(), of) == names.end())
    throw InputError("\"{}\" is not a unit of {} and not the id of a value with a unit{}", of, info.id,
                     did_you_mean(of, names, choose_one_of(names)));
  const auto reject = [&] {
    throw InputError(
        "The unit of \"{}\" cannot be \"{}\". Write a number above 0 and a name, such as \"0.1 cm\", or only a name.",
        of, text);
  };
  UnitScale unit{of, std::nullopt, text};
  const std::size_t blank = text.find(' ');
  double number = 0;
  if (read_number(text.substr(0, blank), number)) {
    if (blank == std::string::npos || !std::isfinite(number) || !(number > 0)) reject();
    unit.scale = number;
    unit.name = text.substr(blank + 1);
  }
  const bool is_named = !unit.name.empty() && unit.name.size() <= longest_name && unit.name.find_first_not_of(' ') == 0;
  const bool is_composed = unit.name.find_first_of("/()") != std::string::npos;
  if (!is_named || (is_base_unit(of) && (is_composed || !unit.scale))) reject();
  return unit;
}

std::string text_of(const UnitScale& unit) {
  return unit.scale ? shortest_text(*unit.scale) + " " + unit.name : unit.name;
}

DisplayUnit display_unit(const DisplayUnits& units, const std::string& unit, const std::string& id) {
  if (unit.empty()) return {unit, 1};
  for (const std::string& key : {id, unit}) {
    const UnitScale* whole = key.empty() || is_base_unit(key) ? nullptr : find_unit(units, key);
    if (!whole) continue;
    return {whole->name, whole->scale ? *whole->scale : convert_bases(units, unit).factor};
  }
  DisplayUnit shown = convert_bases(units, unit);
  if (shown.text == "1/s" && id.find("frequency") != std::string::npos) shown.text = "Hz";
  if (shown.text == unit)
    for (const ShortName& one : short_names)
      if (unit == one.unit) shown.text = one.name;
  return shown;
}

DisplayUnits units_in_domain(DisplayUnits units, const SimulationInfo& info, double width, double height) {
  const DisplayUnit length = display_unit(units, length_unit_of(info));
  units.push_back({unit_of_width, width * length.factor, length.text});
  units.push_back({unit_of_height, height * length.factor, length.text});
  return units;
}

bool is_scale_of_unit(const UnitScale& unit) {
  return unit.scale && (is_base_unit(unit.of) || unit.of.find('/') != std::string::npos);
}

std::string scale_text(const DisplayUnits& units) {
  std::string text;
  for (const UnitScale& unit : units)
    if (is_scale_of_unit(unit)) text += (text.empty() ? "1 " : "; 1 ") + unit.of + " = " + text_of(unit);
  return text;
}

std::string length_unit_of(const SimulationInfo& info) {
  for (const Tool& tool : info.tools)
    for (const ValueInfo& field : tool.brush)
      if (field.id == "radius" && !field.unit.empty()) return field.unit;
  return "length";
}

std::string time_unit_of(const SimulationInfo& info) {
  const auto has = [&](const char* base) {
    return std::any_of(info.parameters.begin(), info.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.unit.find(base) != std::string::npos; });
  };
  return !has("time") && has("step") ? "step" : "time";
}

ValueInfo in_display_unit(const ValueInfo& info, const DisplayUnit& unit) {
  ValueInfo shown = info;
  if (info.kind != ValueKind::real) return shown;
  shown.unit = unit.text;
  shown.minimum *= unit.factor;
  shown.maximum *= unit.factor;
  shown.initial *= unit.factor;
  shown.scale_start *= unit.factor;
  return shown;
}

namespace {

// Significant digits of a number's text.
int digits_of(const std::string& number) {
  const std::string mantissa = number.substr(0, number.find_first_of("eE"));
  int digits = 0;
  for (const char c : mantissa)
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  return digits;
}

// Numbers with one unit behind them: "{} {}", "{} to {} {}".
bool is_quantity(const Message& text) {
  const std::vector<Message>& parts = text.arguments();
  double number = 0;
  return parts.size() >= 2 && !text.is_parameter() && text.text().ends_with("{}") && !parts.back().is_value() &&
         !parts.back().is_parameter() && parts.back().arguments().empty() &&
         std::all_of(parts.begin(), parts.end() - 1,
                     [&](const Message& part) { return part.is_value() && read_number(part.text(), number); });
}

Message convert(const DisplayUnits& units, const Message& text, std::string id) {
  if (text.arguments().empty() || text.is_parameter()) return text;
  std::vector<Message> parts = text.arguments();
  for (const Message& part : parts)
    if (part.is_parameter()) id = part.text();
  if (id.empty() && text.text().find("frequency") != std::string::npos) id = "frequency";
  if (is_quantity(text)) {
    const DisplayUnit unit = display_unit(units, parts.back().text(), id);
    if (unit.text == parts.back().text() && unit.factor == 1) return text;
    parts.back() = unit.text;
    for (auto part = parts.begin(); part != parts.end() - 1; ++part) {
      double number = 0;
      read_number(part->text(), number);
      const int digits = std::clamp(digits_of(part->text()), 4, 9);
      if (unit.factor != 1) *part = Message::value(format_number(number * unit.factor, digits));
    }
  } else {
    for (Message& part : parts) part = convert(units, part, id);
  }
  return Message::with_arguments(text.text(), std::move(parts));
}

}  // namespace

Message in_display_units(const DisplayUnits& units, const Message& text) { return convert(units, text, {}); }

Message quantity_text(const DisplayUnits& units, double value, const std::string& unit, const std::string& id,
                      int digits) {
  const DisplayUnit shown = display_unit(units, unit, id);
  if (!std::isfinite(value)) return Message::value("\u2013");
  return with_unit(format_number(value * shown.factor, digits), shown.text);
}

Message clock_text(const DisplayUnits& units, const SimulationInfo& info, double time) {
  const DisplayUnit unit = time_unit(units, info);
  const std::string number = format_number(time * unit.factor);
  return unit.text == "time" ? Message("{} time units", number) : with_unit(number, unit.text);
}

DisplayUnit time_unit(const DisplayUnits& units, const SimulationInfo& info) {
  return display_unit(units, time_unit_of(info));
}

std::string frequency_unit_of(const SimulationInfo& info) { return "1/" + time_unit_of(info); }

Curve in_display_units(const DisplayUnits& units, const SimulationInfo& info, Curve curve) {
  const DisplayUnit x = display_unit(units, curve.x_unit, curve.x_unit == frequency_unit_of(info) ? "frequency" : "");
  const DisplayUnit y = display_unit(units, curve.y_unit, curve.id);
  curve.x_unit = x.text;
  curve.y_unit = y.text;
  for (std::vector<CurvePoint>* line : {&curve.points, &curve.theory})
    for (CurvePoint& p : *line) p = {p.x * x.factor, curve.logarithmic_y ? p.y + std::log10(y.factor) : p.y * y.factor};
  for (SampleGroup& group : curve.groups) group = group.scaled(x.factor, y.factor);
  return curve;
}

Message layer_text(const DisplayUnits& units, const SimulationInfo& info, const ViewSettings& view) {
  if (view.layer.quantity.empty()) return {};
  const Quantity& quantity = info.quantities[quantity_index(info, view.layer.quantity)];
  const DisplayUnit unit = display_unit(units, quantity.unit, quantity.id);
  return describe_layer(info, view, unit.factor, unit.text);
}

Message time_text(const DisplayUnits& units, const SimulationInfo& info, double time, bool is_short) {
  char number[64];
  const DisplayUnit unit = time_unit(units, info);
  const double shown = time * unit.factor;
  const bool has_scale = unit.factor != 1, counts_steps = unit.text == "step";
  if (is_short)
    std::snprintf(number, sizeof number, std::abs(shown) < 1e3 ? "%.3g" : "%.0f", shown);
  else
    std::snprintf(number, sizeof number, "%.*f", counts_steps ? 0 : has_scale && shown < 1 ? 4 : 2, shown);
  if (has_scale) return Message::value("t = " + std::string(number) + "\u00a0" + unit.text);
  return Message(counts_steps ? "t = {} steps" : "t = {} time units", std::string(number));
}

}  // namespace perturb
