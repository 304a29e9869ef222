#include "app/lessons/lesson_numbers.h"

#include <algorithm>
#include <cmath>

#include "app/io/preset/quotes.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/typed_number.h"

namespace perturb {

namespace {

double finite_value(const std::string& formula, const NumberOf& number_of) {
  const double value = value_of_formula(formula, number_of);
  if (!std::isfinite(value))
    throw InputError("The formula " + in_quotes(formula) + " gives no number here: let the run go on.");
  return value;
}

std::optional<double> number_of_action(const Setup& setup, const std::string& name) {
  const std::size_t point = name.find('.');
  if (point == std::string::npos) return {};
  for (const Action& action : setup.actions) {
    std::string kind = action.kind;
    std::replace(kind.begin(), kind.end(), '-', '_');
    if (kind != name.substr(0, point)) continue;
    const auto field = action.numbers.find(name.substr(point + 1));
    if (field != action.numbers.end()) return field->second;
  }
  return {};
}

}  // namespace

NumberOf numbers_of(const RunStatus& run, const Diagnostics& diagnostics,
                    const std::map<std::string, double>& earlier) {
  return [&run, &diagnostics, &earlier](const std::string& name) -> std::optional<double> {
    if (const auto found = earlier.find(name); found != earlier.end()) return found->second;
    for (const Scalar& scalar : diagnostics.scalars)
      if (scalar.id == name) return scalar.value;
    for (std::size_t k = 0; k < run.parameters.size(); ++k)
      if (run.info->parameters[k].id == name) return run.parameters[k];
    if (name == "domain_width") return run.domain_width;
    if (name == "domain_height") return run.domain_height;
    if (name == "time") return diagnostics.time;
    return number_of_action(run.scene->setup, name);
  };
}

std::vector<std::string> names_of(const RunStatus& run, const Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const Scalar& scalar : diagnostics.scalars) names.push_back(scalar.id);
  for (const Parameter& parameter : run.info->parameters) names.push_back(parameter.id);
  return names;
}

FoundNumbers find_numbers(const LessonQuestion& question, const NumberOf& number_of) {
  const std::string nothing_yet = "There is nothing to measure yet: let the run go on.";
  FoundNumbers found;
  if (!question.measured.empty() && std::isnan(value_of_formula(question.measured, number_of)))
    throw InputError(nothing_yet);
  found.asked = finite_value(question.asked(), number_of);
  if (!question.measured.empty() && !question.theory.empty()) {
    found.theory = finite_value(question.theory, number_of);
    if (found.asked == 0 && *found.theory != 0) throw InputError(nothing_yet);
  }
  double nearest = 0;
  for (std::size_t k = 0; k < question.choices.size(); ++k) {
    const double distance = std::abs(finite_value(question.choices[k].value, number_of) - found.asked);
    if (k == 0 || distance < nearest) nearest = distance, found.right_choice = static_cast<int>(k);
  }
  return found;
}

bool agrees_with_theory(const LessonQuestion& question, const FoundNumbers& found) {
  return !found.theory || std::abs(found.asked - *found.theory) <= question.agreement * std::abs(*found.theory);
}

int points_for_number(double answer, double asked, double tolerance) {
  // The limit itself is within the tolerance, whatever the rounding of the difference.
  const double away = std::abs(answer - asked), edge = tolerance * std::abs(asked) * (1 + 1e-9);
  return !(away <= 3 * edge) ? 0 : away <= edge ? most_points : most_points / 2;
}

int points_for_distance(double distance, double tolerance) {
  return !(distance <= 3 * tolerance) ? 0 : distance <= tolerance ? most_points : most_points / 2;
}

double parse_answer(const std::string& text) {
  double value = 0;
  try {
    value = value_of_formula(with_decimal_point(text), [](const std::string&) { return std::optional<double>(); });
  } catch (const InputError&) {
    throw InputError(in_quotes(text) + " is no number: type one such as 0.25, 1.5e-3 or 2 * pi / 5.");
  }
  if (!std::isfinite(value)) throw InputError(in_quotes(text) + " is no number: type one that is finite.");
  return value;
}

}  // namespace perturb
