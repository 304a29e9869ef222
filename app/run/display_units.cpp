#include "app/run/display_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cuda/core/backend/check.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// The words of which the units of all simulations are composed.
constexpr std::array base_units = {"length", "time", "height", "mass", "cell", "step", "rad"};
constexpr std::size_t longest_name = 24;

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
      if (unit[at] == '(') in_divisor = divides, divides = false;
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
  const auto add_value = [&](const ValueInfo& value) { add_unit(value.unit), add(value.unit.empty() ? "" : value.id); };
  for (const Parameter& parameter : info.parameters) add_value(parameter);
  for (const ActionKind& kind : info.actions)
    for (const ValueInfo& field : kind.fields) add_value(field);
  for (const Quantity& quantity : info.quantities) add_unit(quantity.unit), add(quantity.id);
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
    unit.scale = number, unit.name = text.substr(blank + 1);
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
  if (units.empty() || unit.empty()) return {unit, 1};
  for (const std::string& key : {id, unit}) {
    const UnitScale* whole = key.empty() || is_base_unit(key) ? nullptr : find_unit(units, key);
    if (!whole) continue;
    return {whole->name, whole->scale ? *whole->scale : convert_bases(units, unit).factor};
  }
  return convert_bases(units, unit);
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
  shown.minimum *= unit.factor, shown.maximum *= unit.factor, shown.initial *= unit.factor;
  return shown;
}

Message in_display_units(const DisplayUnits& units, const Message& reading) {
  if (units.empty() || reading.arguments().empty()) return reading;
  std::vector<Message> parts = reading.arguments();
  double number = 0;
  // A number followed by its unit.
  if (parts.size() == 2 && reading.text() == "{} {}" && parts[0].is_value() && !parts[1].is_value() &&
      parts[1].arguments().empty() && read_number(parts[0].text(), number)) {
    const DisplayUnit unit = display_unit(units, parts[1].text());
    return with_unit(format_number(number * unit.factor, 4), unit.text);
  }
  for (Message& part : parts) part = in_display_units(units, part);
  return reading.is_parameter() ? reading : Message::with_arguments(reading.text(), std::move(parts));
}

Message with_scale(const Message& error, const std::string& unit, const DisplayUnit& shown) {
  if (error.empty() || shown.factor == 1) return error;
  return {"{} (1 {} = {})", error, Message(unit), with_unit(format_number(shown.factor, 4), shown.text)};
}

DisplayUnit time_unit(const DisplayUnits& units, const SimulationInfo& info) {
  return display_unit(units, time_unit_of(info));
}

Curve in_display_units(const DisplayUnits& units, const SimulationInfo& info, Curve curve) {
  if (units.empty()) return curve;
  const bool over_time = curve.x_unit.empty() && (curve.x_label == Message("Time") || curve.x_label == Message("time"));
  // The label does not have the simulation's unit of time, so it gets a unit only if the scene has one.
  DisplayUnit x = over_time ? time_unit(units, info) : DisplayUnit{};
  if (over_time && x.factor == 1 && x.text == time_unit_of(info)) x.text.clear();
  // Frequencies of a spectrum are named like those of sources: "Hz", not "1/s".
  if (!over_time) x = display_unit(units, curve.x_unit, curve.x_unit == "1/time" ? "frequency" : "");
  const DisplayUnit y = display_unit(units, curve.y_unit, curve.id);
  curve.x_unit = x.text, curve.y_unit = y.text;
  for (std::vector<CurvePoint>* line : {&curve.points, &curve.theory})
    for (CurvePoint& p : *line) p = {p.x * x.factor, curve.logarithmic_y ? p.y + std::log10(y.factor) : p.y * y.factor};
  return curve;
}

Message layer_text(const DisplayUnits& units, const SimulationInfo& info, const ViewSettings& view) {
  if (view.layer.quantity.empty()) return {};
  const Quantity& quantity = info.quantities[quantity_index(info, view.layer.quantity)];
  const DisplayUnit unit = display_unit(units, quantity.unit, quantity.id);
  return describe_layer(info, view, unit.factor, unit.text);
}

std::string time_text(const DisplayUnits& units, const SimulationInfo& info, double time, bool is_short) {
  char text[64];
  const DisplayUnit unit = units.empty() ? DisplayUnit{} : time_unit(units, info);
  if (is_short)
    std::snprintf(text, sizeof text, std::abs(time * unit.factor) < 1e3 ? "t = %.3g" : "t = %.0f", time * unit.factor);
  else if (unit.factor == 1)
    std::snprintf(text, sizeof text, "t = %.2f", time);
  else
    std::snprintf(text, sizeof text, "t = %.*f", time * unit.factor < 1 ? 4 : 2, time * unit.factor);
  return unit.factor == 1 ? text : std::string(text) + "\u00a0" + unit.text;
}

}  // namespace perturb
