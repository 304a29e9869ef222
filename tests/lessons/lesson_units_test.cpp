// The units of lessons: a choice question states the unit of the number that is measured, and its choices, in each
// language, the unit of theirs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/lessons/lesson_library.h"
#include "app/run/display_units.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/formula.h"

namespace perturb {
namespace {

struct Asked {
  std::string where;
  const LessonStep& step;
  std::map<std::string, std::string> earlier;  // units of the lesson's earlier questions, by id
  const LessonQuestion& question() const { return *step.question; }
};

// The choice questions whose number is measured.
std::vector<Asked> measured_choice_questions() {
  std::vector<Asked> all;
  for (const auto& lesson : all_lessons().lessons) {
    std::map<std::string, std::string> units;
    for (std::size_t k = 0; k < lesson->steps.size(); ++k) {
      const LessonStep& step = lesson->steps[k];
      if (!step.question) continue;
      if (!step.question->choices.empty() && !step.question->measured.empty())
        all.push_back({lesson->path() + ", step " + std::to_string(k + 1), step, units});
      if (!step.question->id.empty()) units[step.question->id] = step.question->unit;
    }
  }
  return all;
}

// The units of the numbers that formulas name.
class UnitsOfNames {
 public:
  explicit UnitsOfNames(const Asked& asked) : earlier_(asked.earlier) {
    Scene scene = asked.step.scene;
    // Sizes do not matter for units.
    scene.setup.width = std::min(scene.setup.width, 64);
    scene.setup.height = std::min(scene.setup.height, 64);
    for (const auto& [id, most] : {std::pair("level", 3.0), std::pair("count", 200.0)})
      if (const auto own = scene.setup.parameters.find(id); own != scene.setup.parameters.end())
        own->second = std::min(own->second, most);
    Experiment experiment(*backend_, scene);
    for (const Scalar& scalar : experiment.simulation().diagnostics(scene.view, true).scalars)
      measured_[scalar.id] = scalar.unit;
    // Numbers that the run does not have yet.
    if (const auto* all = experiment.simulation().find<HasColumns>())
      for (const Column& column : all->columns()) measured_.emplace(column.id, column.unit);
    info_ = &find_simulation(scene.setup.simulation);
  }
  std::optional<std::string> unit_of(const std::string& name) const {
    if (const auto found = earlier_.find(name); found != earlier_.end()) return found->second;
    if (const auto found = measured_.find(name); found != measured_.end()) return found->second;
    if (name == "slow_factor") return "1/time";  // steps per unit of time, which the table lists as a pure number
    for (const Parameter& parameter : info_->parameters)
      if (parameter.id == name) return parameter.unit;
    if (name.ends_with(".seconds_per_step")) return "s";
    if (name.ends_with(".bytes_per_cell")) return "bytes";
    if (name.ends_with(".flops_per_cell") || name == "copy_bandwidth" || name == "peak_flops") return "";
    return {};
  }

 private:
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  std::map<std::string, std::string> earlier_;
  std::map<std::string, std::string> measured_;
  const SimulationInfo* info_ = nullptr;
};

// The difference of the lanes of a race is that of any number of the state, so it has no unit of its own; a question
// states that of the state's fields.
bool is_lane_difference(const std::string& name) { return name.starts_with("lane_") && name.ends_with("_difference"); }

// Fails if a formula does not have the question's unit: in other base units its value must change by the same factor.
void expect_unit(const Asked& asked, const UnitsOfNames& units, const std::string& formula) {
  const std::vector<std::string> names = names_in_formula(formula);
  if (names.empty() || is_lane_difference(names[0])) return;
  // The answer to an earlier question without a unit may be a multiple of a number that is 1 in the simulation's units,
  // such as the speed of a single fiber.
  for (const std::string& name : names)
    if (const auto found = asked.earlier.find(name); found != asked.earlier.end() && found->second.empty()) return;
  DisplayUnits others;
  double scale = 1.3;
  for (const char* base : {"length", "time", "height", "mass", "cell", "step", "rad"})
    others.push_back({base, scale *= 1.7, std::string("other ") + base});
  const auto value = [&](bool in_others) {
    return value_of_formula(formula, [&](const std::string& name) -> std::optional<double> {
      const std::optional<std::string> unit = units.unit_of(name);
      if (!unit) ADD_FAILURE() << asked.where << ": the run has no number " << name;
      return in_others && unit ? display_unit(others, *unit).factor : 1;
    });
  };
  const double factor = display_unit(others, asked.question().unit).factor;
  EXPECT_NEAR(value(true) / value(false) / factor, 1, 1e-9)
      << asked.where << ": " << formula << " is not in the unit \"" << asked.question().unit << "\"";
  // Units that are not composed of those, such as degrees.
  if (formula == names[0] || formula == "abs(" + names[0] + ")") {
    EXPECT_EQ(units.unit_of(names[0]), asked.question().unit) << asked.where << ": " << formula;
  }
}

TEST(LessonUnits, ChoiceQuestionsStateTheUnitOfTheMeasuredNumber) {
  std::size_t with_unit = 0;
  for (const Asked& asked : measured_choice_questions()) {
    const UnitsOfNames units(asked);
    expect_unit(asked, units, asked.question().measured);
    for (const LessonChoice& choice : asked.question().choices) expect_unit(asked, units, choice.value);
    with_unit += !asked.question().unit.empty();
  }
  EXPECT_GT(with_unit, 10u);
}

// The names of a unit in a sentence, other than its sign.
std::vector<std::string> words_for(const std::string& unit, const std::string& language) {
  struct Words {
    const char *unit, *english, *german;
  };
  for (const Words& words : {Words{"°", "degrees", "Grad"}, Words{"length", "length unit", "Längeneinheit"},
                             Words{"height", "height unit", "Höheneinheit"}})
    if (unit == words.unit) return {language == "de" ? words.german : words.english};
  return {};
}

// Fails if the text of a choice contains its number without the unit; returns whether it contains it.
bool expect_number_with_unit(const Asked& asked, const LessonChoice& choice) {
  if (!names_in_formula(choice.value).empty()) return false;
  const DisplayUnit& shown = asked.question().shown;
  const double value = value_of_formula(choice.value, [](const std::string&) { return std::nullopt; }) * shown.factor;
  if (shown.text.empty() || value == 0) return false;
  const std::string text = tr(Message(choice.text));
  const std::regex number(R"(\d+(?:[.,]\d+)?)");
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    std::string digits = at->str();
    std::replace(digits.begin(), digits.end(), ',', '.');
    if (std::abs(std::stod(digits) / value - 1) > 0.03) continue;
    std::string rest = at->suffix();
    for (const char* space : {" ", "\u00a0"})
      if (rest.starts_with(space)) rest.erase(0, std::string(space).size());
    std::vector<std::string> possible = words_for(shown.text, language());
    possible.push_back(tr(Message(shown.text)));
    EXPECT_TRUE(
        std::any_of(possible.begin(), possible.end(), [&](const std::string& unit) { return rest.starts_with(unit); }))
        << asked.where << ", " << language() << ": the unit " << shown.text << " is missing: " << text;
    return true;
  }
  return false;
}

TEST(LessonUnits, ChoicesStateTheUnitOfTheirNumberInEachLanguage) {
  for (const LanguageName& one : languages()) {
    use_language(one.id);
    int numbers = 0;
    for (const Asked& asked : measured_choice_questions())
      for (const LessonChoice& choice : asked.question().choices) numbers += expect_number_with_unit(asked, choice);
    EXPECT_GT(numbers, 8) << one.id;
  }
  use_language("en");
}

}  // namespace
}  // namespace perturb
