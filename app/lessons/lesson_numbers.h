// The numbers that a question is about, and how an answer counts.
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

// Of a question, at a moment of the run.
struct FoundNumbers {
  double asked = 0;              // what answers are compared with
  std::optional<double> theory;  // beside what was measured; none: nothing was measured, or theory says nothing
  int right_choice = -1;         // of the question's choices
};

// What formulas may speak of (lesson_text.h); `earlier`: what earlier questions have found, by id.
NumberOf numbers_of(const RunStatus& run, const Diagnostics& diagnostics, const std::map<std::string, double>& earlier);

// The names of parameters and of measured numbers that they know.
std::vector<std::string> names_of(const RunStatus& run, const Diagnostics& diagnostics);

// Throws InputError where a formula has a name of which the run says nothing, or where what it gives is no number, or
// nothing was measured yet (0 where theory says otherwise).
FoundNumbers find_numbers(const LessonQuestion& question, const NumberOf& number_of);
// Whether what was measured lies as near to theory as the question says; true where nothing is compared.
bool agrees_with_theory(const LessonQuestion& question, const FoundNumbers& found);

// An answer's points: all within the question's tolerance, half of them within three times that, else none.
constexpr int most_points = 2;
int points_for_number(double answer, double asked, double tolerance);
// The same of a sketch by its distance from what was measured (sketch.h).
int points_for_distance(double distance, double tolerance);
inline int points_for_choice(int choice, int right_choice) { return choice == right_choice ? most_points : 0; }

// What somebody has typed: a number, or a formula without names. Throws InputError.
double parse_answer(const std::string& text);

}  // namespace perturb
