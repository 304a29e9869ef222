// Adjustable numbers as data. ValueInfo has the name, explanation and bounds of parameters, brush settings and the
// fields of actions, so that panels, the command line, files and the manual use the same names. A simulation's
// parameters are one record each, in a table that all code uses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/formula.h"

namespace perturb {

enum class ValueKind { real, integer, boolean, choice, formula };
enum class Scale { linear, logarithmic };

struct Choice {
  std::string id, label;
};

struct ValueInfo {
  std::string id;      // stable: used in files and on the command line
  std::string label;   // shown next to the slider
  std::string unit;    // empty: a pure number
  std::string symbol;  // the letter in the equation, may be empty
  std::string help;    // a sentence or two
  ValueKind kind = ValueKind::real;
  double initial = 0, minimum = 0, maximum = 1;  // a choice's value is its index, a formula's its number
                                                 // (formula.h)
  Scale scale = Scale::linear;
  std::vector<Choice> choices;
  std::string former{};  // a former id, still accepted when reading files; empty: none
  // For an action's number that is not given, or a brush setting that the user has not changed: the id of the parameter
  // whose value is used; empty: `initial` is used.
  std::string as_parameter{};
  // Meaning of the number 0 if it is not a quantity, shown instead of it: "none", "automatic". Empty: it is a number.
  std::string zero{};
  // Where a logarithmic scale with the minimum 0 begins, next to 0; 0: at a millionth of the maximum.
  double scale_start = 0;

  // Throws InputError with the name, the given value and the range, unless `value` is finite, in range and, where
  // required, whole.
  void check(double value) const;
  // Parses the user's text: a number, true/false, a choice's id, or a formula of x and y. Throws InputError.
  double parse(const std::string& text) const;
  // The text that `parse` converts back to exactly this value.
  std::string format(double value) const;
};

// A real number on a linear scale, the common case.
ValueInfo real_value(std::string id, std::string label, std::string unit, std::string symbol, double initial,
                     double minimum, double maximum, std::string help);

// A number that defaults to the value of this parameter.
ValueInfo as_parameter(std::string parameter, ValueInfo info);

// A number that has another id in older files.
ValueInfo with_former_id(std::string former, ValueInfo info);

// The entry of `candidates` nearest to `word`, or empty if none is near: "did you mean ...?".
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);
// The end of an error message that rejects `word`: the nearest candidate, `; did you mean "wave"?`, or `otherwise` if
// none is near.
Message did_you_mean(const std::string& word, const std::vector<std::string>& candidates,
                     const Message& otherwise = ".");
// "wave, lbm or fibers".
Message one_of(const std::vector<std::string>& words);
// ": choose one of wave, lbm.", for `otherwise`.
Message choose_one_of(const std::vector<std::string>& candidates);
// The ids of a table's entries.
template <class Entries>
std::vector<std::string> ids_of(const Entries& entries) {
  std::vector<std::string> ids;
  for (const auto& entry : entries) ids.push_back(entry.id);
  return ids;
}

// When a change takes effect.
enum class Apply {
  live,    // from the next step on
  restart  // the simulation is restarted: the panel shows this next to the slider
};

// The group of parameters that change only what is drawn: front ends show it with the settings of the view.
inline constexpr std::string_view display_group = "Display";

struct Parameter : ValueInfo {
  std::string group;  // heading in the panel
  Apply apply = Apply::live;
  double (*get)(const void* object) = nullptr;
  void (*set)(void* object, double value) = nullptr;

  Parameter& with_scale(Scale s, double start = 0) {
    scale = s;
    scale_start = start;
    return *this;
  }
  Parameter& with_zero(std::string meaning) {
    zero = std::move(meaning);
    return *this;
  }
  Parameter& with_choices(std::vector<Choice> c) {
    choices = std::move(c);
    kind = ValueKind::choice;
    minimum = 0;
    maximum = static_cast<double>(choices.size()) - 1;
    return *this;
  }
  // A text: a formula of x and y. From `minimum` to `maximum` are the examples.
  Parameter& with_formula() {
    kind = ValueKind::formula;
    maximum = formula_examples - 1;
    return *this;
  }
  Parameter& with_restart() {
    apply = Apply::restart;
    return *this;
  }
  Parameter& with_former_id(std::string name) {
    former = std::move(name);
    return *this;
  }
  Parameter& in_group(std::string g) {
    group = std::move(g);
    return *this;
  }
};

namespace detail {
template <class>
struct MemberOf;
template <class Object, class Value>
struct MemberOf<Value Object::*> {
  using ObjectType = Object;
  using ValueType = Value;
};
}  // namespace detail

// A record for the member that `Member` points to (double, float, int, std::uint32_t, bool or an enum). The initial
// value is read from a default-constructed object, so a default is written once: in the struct.
//
//   parameter<&Parameters::damping>("damping", "Damping", "1/time", "k", 0, 1, "How fast ...")
template <auto Member>
Parameter parameter(std::string id, std::string label, std::string unit, std::string symbol, double minimum,
                    double maximum, std::string help) {
  using Object = typename detail::MemberOf<decltype(Member)>::ObjectType;
  using Value = typename detail::MemberOf<decltype(Member)>::ValueType;
  Parameter p;
  static_cast<ValueInfo&>(p) = real_value(std::move(id), std::move(label), std::move(unit), std::move(symbol), 0,
                                          minimum, maximum, std::move(help));
  if constexpr (std::is_same_v<Value, bool>)
    p.kind = ValueKind::boolean;
  else if constexpr (std::is_integral_v<Value>)
    p.kind = ValueKind::integer;
  p.initial = static_cast<double>(Object{}.*Member);
  p.get = [](const void* object) { return static_cast<double>(static_cast<const Object*>(object)->*Member); };
  p.set = [](void* object, double value) { static_cast<Object*>(object)->*Member = static_cast<Value>(value); };
  return p;
}

// The record with this id or former id; null if there is none.
const Parameter* find_parameter(std::span<const Parameter> table, std::string_view id);

// A table together with the object it describes; neither is owned.
class ParameterSet {
 public:
  ParameterSet(std::span<const Parameter> table, void* object) : table_(table), object_(object) {}

  std::span<const Parameter> table() const { return table_; }
  // Throws InputError with the nearest id if there is none of this name.
  const Parameter& find(const std::string& id) const;
  double get(const Parameter& p) const { return p.get(object_); }
  double get(const std::string& id) const { return find(id).get(object_); }
  // Checks the value against the record, then sets it. Throws InputError and keeps the old value.
  void set(const std::string& id, double value);
  void set_text(const std::string& id, const std::string& text);

 private:
  std::span<const Parameter> table_;
  void* object_;
};

}  // namespace perturb
