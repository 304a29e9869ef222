// Name, explanation and bounds of one adjustable number. It describes parameters, brush settings and the fields of
// actions, so that panels, the command line, files and the manual use the same names.
#pragma once

#include <string>
#include <vector>

namespace perturb {

enum class ValueKind { real, integer, boolean, choice };
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
  double initial = 0, minimum = 0, maximum = 1;  // a choice's value is its index
  Scale scale = Scale::linear;
  std::vector<Choice> choices;
  std::string former{};  // a former id, still accepted when reading files; empty: none
  // For an action's number that is not given: the id of the parameter whose value is used; empty: `initial` is used.
  std::string as_parameter{};

  // Throws InputError with the name, the given value and the range, unless `value` is finite, in range and, where
  // required, whole.
  void check(double value) const;
  // Parses the user's text: a number, true/false, or a choice's id. Throws InputError.
  double parse(const std::string& text) const;
  // The text that `parse` converts back to exactly this value.
  std::string format(double value) const;
};

// A real number on a linear scale, the common case.
ValueInfo real_value(std::string id, std::string label, std::string unit, std::string symbol, double initial,
                     double minimum, double maximum, std::string help);

// An action's number that defaults to the value of this parameter.
ValueInfo as_parameter(std::string parameter, ValueInfo info);

// A number that has another id in older files.
ValueInfo with_former_id(std::string former, ValueInfo info);

// The entry of `candidates` nearest to `word`, or empty if none is near: "did you mean ...?".
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);
// The end of an error message that rejects `word`: the nearest candidate, `; did you mean "wave"?`, or `otherwise` if
// none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates,
                         const std::string& otherwise = ".");
// ": choose one of wave, lbm.", for `otherwise`.
std::string choose_one_of(const std::vector<std::string>& candidates);
// The ids of a table's entries.
template <class Entries>
std::vector<std::string> ids_of(const Entries& entries) {
  std::vector<std::string> ids;
  for (const auto& entry : entries) ids.push_back(entry.id);
  return ids;
}

}  // namespace perturb
