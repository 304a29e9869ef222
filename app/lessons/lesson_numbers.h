// The numbers of a lesson's question, and the points for an answer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/io/preset/formula.h"
#include "app/io/preset/lesson_text.h"
#include "app/run/run_status.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// The numbers of a question at one step of the run.
struct FoundNumbers {
  double asked = 0;              // the number that answers are compared with
  std::optional<double> theory;  // theory, if a number was measured and theory has a value for it
  int right_choice = -1;         // index of the right one of the question's choices
};

// The values available to formulas (lesson_text.h). `earlier`: the results of earlier questions, by id.
NumberOf numbers_of(const RunStatus& run, const Diagnostics& diagnostics, const std::map<std::string, double>& earlier);

// The names of parameters and measured numbers available to formulas.
std::vector<std::string> names_of(const RunStatus& run, const Diagnostics& diagnostics);

// Throws InputError if a formula contains a name that the run does not have, if its result is not a number, or if
// nothing was measured yet (0 although theory is not 0).
FoundNumbers find_numbers(const LessonQuestion& question, const NumberOf& number_of);
// Whether the measurement agrees with theory within the question's limit; true if nothing is compared.
bool agrees_with_theory(const LessonQuestion& question, const FoundNumbers& found);

// Points of an answer: all within the question's tolerance, half of them within three times the tolerance, else none.
constexpr int most_points = 2;
int points_for_number(double answer, double asked, double tolerance);
// The same for a sketch, by its distance from the measurement (sketch.h).
int points_for_distance(double distance, double tolerance);
inline int points_for_choice(int choice, int right_choice) { return choice == right_choice ? most_points : 0; }

// The value of a typed answer: a number, or a formula without names. Throws InputError.
double parse_answer(const std::string& text);

}  // namespace perturb
