// How one adjustable number is named, explained and bounded. Parameters, brush settings and the fields of actions are
// all described by it, so that panels, the command line, files and the manual speak of them in the same words.
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
  std::string label;   // shown beside the slider
  std::string unit;    // empty: a pure number
  std::string symbol;  // the letter in the equation, may be empty
  std::string help;    // a sentence or two
  ValueKind kind = ValueKind::real;
  double initial = 0, minimum = 0, maximum = 1;  // a choice's value is its index
  Scale scale = Scale::linear;
  std::vector<Choice> choices;
  std::string former{};  // an id that it had before: what was kept under that one is read on; empty: none
  // For an action's number that is not given: the parameter (its id) that then stands for it; empty: `initial` does.
  std::string as_parameter{};

  // Throws InputError that names the value, what was given and the range, unless `value` is finite and inside it (and
  // whole, where that is asked).
  void check(double value) const;
  // Parses what a person wrote: a number, true/false, or a choice's id. Throws InputError.
  double parse(const std::string& text) const;
  // The text that `parse` takes back to exactly this value.
  std::string format(double value) const;
};

// A real number on a linear scale, the common case.
ValueInfo real_value(std::string id, std::string label, std::string unit, std::string symbol, double initial,
                     double minimum, double maximum, std::string help);

// An action's number that is this parameter's value where it is not given.
ValueInfo as_parameter(std::string parameter, ValueInfo info);

// A number that files of before know by another id.
ValueInfo with_former_id(std::string former, ValueInfo info);

// The entry of `candidates` that `word` most resembles, or empty when none is near: "did you mean ...?".
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);
// How a sentence ends that refuses `word`: with the nearest of the candidates, `; did you mean "wave"?`, or with
// `otherwise` where none is near.
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
