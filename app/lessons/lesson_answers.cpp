#include "app/lessons/lesson_answers.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/io/files/text_file.h"
#include "app/kernels/kernel_numbers.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/csv_text.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

namespace {

// The fraction of the width that must be drawn.
constexpr double min_drawn = 0.8;

double height_at(const std::vector<CurvePoint>& sketch, double x) {
  if (x <= sketch.front().x) return sketch.front().y;
  if (x >= sketch.back().x) return sketch.back().y;
  const auto right = std::upper_bound(sketch.begin(), sketch.end(), x,
                                      [](double value, const CurvePoint& point) { return value < point.x; });
  const CurvePoint &b = *right, &a = *(right - 1);
  return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
}

double sketch_number(const std::string& text, const std::string& where) {
  try {
    return real_value("sketch", "A number", "", "", 0, -1e300, 1e300, "").parse(text);
  } catch (const InputError&) {
    throw InputError("{}: each line of a sketch must be two numbers, such as 0.5,1.25.", where);
  }
}

}  // namespace

namespace {

// The lowest and the highest value within the question's interval, and the number of points there.
struct MeasuredRange {
  double lowest = 0, highest = 0;
  int count = 0;
};

bool is_within(const CurvePoint& point, const LessonSketch& asked) {
  return point.x >= asked.x0 && point.x <= asked.x1 && std::isfinite(point.y);
}

MeasuredRange range_of(const LessonSketch& asked, const std::vector<CurvePoint>& measured) {
  MeasuredRange range;
  for (const CurvePoint& point : measured) {
    if (!is_within(point, asked)) continue;
    range.lowest = range.count == 0 ? point.y : std::min(range.lowest, point.y);
    range.highest = range.count == 0 ? point.y : std::max(range.highest, point.y);
    ++range.count;
  }
  if (range.count == 0 || !(range.highest > range.lowest))
    throw InputError("Nothing to measure yet. Let the simulation run.");
  return range;
}

}  // namespace

void require_measured(const LessonSketch& asked, const std::vector<CurvePoint>& measured) { range_of(asked, measured); }

SketchScore compare_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked,
                           const std::vector<CurvePoint>& measured) {
  const MeasuredRange range = range_of(asked, measured);
  double both = 0, own = 0;
  for (const CurvePoint& point : measured) {
    if (!is_within(point, asked)) continue;
    const double drawn = height_at(sketch, point.x);
    both += drawn * point.y;
    own += drawn * drawn;
  }
  SketchScore score;
  if (asked.free_height && own > 0 && both > 0) score.factor = both / own;
  double sum = 0;
  for (const CurvePoint& point : measured) {
    if (!is_within(point, asked)) continue;
    const double away = score.factor * height_at(sketch, point.x) - point.y;
    sum += away * away;
  }
  score.distance = std::sqrt(sum / range.count) / (range.highest - range.lowest);
  return score;
}

void require_whole_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked) {
  for (std::size_t k = 0; k + 1 < sketch.size(); ++k)
    if (!(sketch[k].x < sketch[k + 1].x)) throw InputError("Draw the sketch again, from left to right.");
  if (sketch.size() < 2 || sketch.back().x - sketch.front().x < min_drawn * (asked.x1 - asked.x0))
    throw InputError("Draw the curve over the whole width, from the left edge to the right edge.");
}

std::vector<CurvePoint> read_sketch(const std::string& path) {
  const std::string text = read_text_file(path, "sketch");
  CsvReader rows(text, path);
  std::vector<CurvePoint> sketch;
  for (std::vector<CsvField> row = rows.next(); !row.empty(); row = rows.next()) {
    const std::string where = path + ":" + std::to_string(rows.line());
    if (row.size() != 2) throw InputError("{}: each line of a sketch must be two numbers, such as 0.5,1.25.", where);
    sketch.push_back({sketch_number(rows.number_text(row[0]), where), sketch_number(rows.number_text(row[1]), where)});
  }
  return sketch;
}

const Curve& curve_of(const Diagnostics& diagnostics, const std::string& id) {
  std::vector<std::string> known;
  for (const Curve& curve : diagnostics.curves) {
    if (curve.id == id) return curve;
    known.push_back(curve.id);
  }
  throw InputError("This scene has no curve \"{}\"{}", id, did_you_mean(id, known));
}

namespace {

double finite_value(const std::string& formula, const ValueOfName& number_of) {
  bool reads_run = false;
  const double value = value_of_formula(formula, [&](const std::string& name) {
    reads_run = true;
    return number_of(name);
  });
  if (!std::isfinite(value) && !reads_run)
    throw InputError("The formula \"{}\" has no finite value. Correct it in the lesson.", formula);
  if (!std::isfinite(value)) throw InputError("The formula \"{}\" has no value yet. Let the simulation run.", formula);
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

ValueOfName numbers_of(const RunStatus& run, const Diagnostics& diagnostics,
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
    if (const std::optional<double> number = kernel_number(run, name)) return number;
    return number_of_action(run.scene->setup, name);
  };
}

ValueOfName numbers_of_scene(const Scene& scene) {
  return [&setup = scene.setup](const std::string& name) -> std::optional<double> {
    if (const auto own = setup.parameters.find(name); own != setup.parameters.end()) return own->second;
    for (const Parameter& parameter : find_simulation(setup.simulation).parameters)
      if (parameter.id == name) return parameter.initial;
    return number_of_action(setup, name);
  };
}

std::vector<std::string> names_of(const RunStatus& run, const Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const Scalar& scalar : diagnostics.scalars) names.push_back(scalar.id);
  for (const Parameter& parameter : run.info->parameters) names.push_back(parameter.id);
  return names;
}

FoundNumbers find_numbers(const LessonQuestion& question, const ValueOfName& number_of) {
  constexpr const char* nothing_yet = "Nothing to measure yet. Let the simulation run.";
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
    const LessonChoice& choice = question.choices[k];
    // A kernel that this machine does not have.
    if (!choice.kernel.empty() && !has_value(value_of_formula(choice.value, number_of))) continue;
    const double distance = std::abs(finite_value(choice.value, number_of) - found.asked);
    if (found.right_choice < 0 || distance < nearest) {
      nearest = distance;
      found.right_choice = static_cast<int>(k);
    }
  }
  return found;
}

bool agrees_with_theory(const LessonQuestion& question, const FoundNumbers& found) {
  return !found.theory || std::abs(found.asked - *found.theory) <= question.agreement * std::abs(*found.theory);
}

int points_for_number(double answer, double asked, double tolerance) {
  // The limit itself is within the tolerance, whatever the rounding of the difference.
  const double away = std::abs(answer - asked), edge = tolerance * std::abs(asked) * (1 + 1e-9);
  return !(away <= 3 * edge) ? 0 : away <= edge ? max_points_of_answer : max_points_of_answer / 2;
}

int points_for_answer(const LessonQuestion& question, const FoundNumbers& found, double answer) {
  const int points = points_for_number(answer, found.asked, question.tolerance);
  if (!found.theory || !agrees_with_theory(question, found)) return points;
  return std::max(points, points_for_number(answer, *found.theory, question.tolerance));
}

int points_for_distance(double distance, double tolerance) {
  constexpr double nearly = 1.5;  // a flat line is off by a third of the height
  return !(distance <= nearly * tolerance) ? 0
         : distance <= tolerance           ? max_points_of_answer
                                           : max_points_of_answer / 2;
}

std::vector<double> values_of_mistakes(const LessonQuestion& question, const ValueOfName& number_of) {
  std::vector<double> values;
  for (const LessonMistake& mistake : question.mistakes) values.push_back(finite_value(mistake.value, number_of));
  return values;
}

int find_mistake(double answer, const std::vector<double>& mistakes, double tolerance) {
  int nearest = -1;
  double min_away = 0;
  for (std::size_t k = 0; k < mistakes.size(); ++k) {
    const double away = std::abs(answer - mistakes[k]);
    if (!(away <= tolerance * std::abs(mistakes[k])) || (nearest >= 0 && away >= min_away)) continue;
    nearest = static_cast<int>(k);
    min_away = away;
  }
  return nearest;
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the comma at `at` separates thousands ("1,250"), or may do so: one to three digits before it that do not
// begin with 0, and three after it.
bool may_separate_thousands(const std::string& text, std::size_t at) {
  std::size_t first = at, end = at + 1;
  while (first > 0 && is_digit(text[first - 1])) --first;
  while (end < text.size() && is_digit(text[end])) ++end;
  return at - first <= 3 && text[first] != '0' && end - at - 1 == 3;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The formula that a student means: decimal commas, and the signs that lessons print and keyboards have.
std::string formula_of_answer(std::string text) {
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] != ',' || !is_digit(text[at - 1]) || !is_digit(text[at + 1])) continue;
    if (may_separate_thousands(text, at))
      throw InputError(
          "Cannot read \"{}\": the comma may separate thousands or decimals. Write 1250 for a thousand, 1.250 for "
          "decimals.",
          text);
    text[at] = '.';
  }
  for (const auto& [sign, formula] : {std::pair("\u2212", "-"),
                                      {"\u00b7", "*"},
                                      {"\u00d7", "*"},
                                      {"\u03c0", "pi"},
                                      {"\u221a", "sqrt"},
                                      {"\u00b2", "^2"},
                                      {"\u00b3", "^3"},
                                      {"\u00b0", "*deg"}})
    replace_all(text, sign, formula);
  return text;
}

}  // namespace

double parse_answer(const std::string& text) {
  if (text.find_first_not_of(" \t") == std::string::npos)
    throw InputError("The answer is empty. Type a number such as 0.25, 1.5e-3 or 2 * pi / 5.");
  double value = 0;
  try {
    value = value_of_formula(formula_of_answer(text), [](const std::string&) { return std::optional<double>(); });
  } catch (const FormulaError& error) {
    throw InputError("Cannot read \"{}\": {}. Type a number such as 0.25, 1.5e-3 or 2 * pi / 5.", text, error.reason());
  }
  if (std::isnan(value))
    throw InputError(
        "\"{}\" has no value: a root, logarithm, asin or acos of this number does not exist. Check the number in its "
        "brackets.",
        text);
  if (!std::isfinite(value))
    throw InputError("\"{}\" is not a finite number: it divides by zero or is too large. Check the formula.", text);
  return value;
}

}  // namespace perturb
