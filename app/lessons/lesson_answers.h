// Answers to the questions of a lesson: numbers, choices and sketches, what they are compared with, and their points.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"
#include "app/run/run_status.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/formula.h"

namespace perturb {

// How far a curve that the user drew before it was measured deviates from the measurement.
struct SketchScore {
  double distance = 0;  // root mean square of the differences, divided by the range of the measurement
  double factor = 1;    // scale factor of the sketch if its height is free, from a least-squares fit
};

// Compares a sketch, with points in the order of x, at the measured points within the question's interval of x. The
// sketch is interpolated linearly and extended at constant height beyond its ends. Throws InputError if nothing was
// measured there yet.
SketchScore compare_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked,
                           const std::vector<CurvePoint>& measured);
// Throws InputError if the curve has no points of different height within the question's interval yet.
void require_measured(const LessonSketch& asked, const std::vector<CurvePoint>& measured);
// Throws InputError if the sketch leaves out more than a fifth of the width.
void require_whole_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked);
// Reads a file of lines "x,y", in the order of x. Throws InputError with file and line.
std::vector<CurvePoint> read_sketch(const std::string& path);
// The curve with this id. Throws InputError with a list of the available ids.
const Curve& curve_of(const Diagnostics& diagnostics, const std::string& id);

// The numbers of a question at one step of the run.
struct FoundNumbers {
  double asked = 0;              // the number that answers are compared with
  std::optional<double> theory;  // theory, if a number was measured and theory has a value for it
  int right_choice = -1;         // index of the right one of the question's choices
};

// The values available to formulas (lesson_text.h). `earlier`: the results of earlier questions, by id.
ValueOfName numbers_of(const RunStatus& run, const Diagnostics& diagnostics,
                       const std::map<std::string, double>& earlier);

// Those known before the run: parameters and actions of the scene.
ValueOfName numbers_of_scene(const Scene& scene);

// The names of parameters and measured numbers available to formulas.
std::vector<std::string> names_of(const RunStatus& run, const Diagnostics& diagnostics);

// Throws InputError if a formula contains a name that the run does not have, if its result is not a number, or if
// nothing was measured yet (0 although theory is not 0).
FoundNumbers find_numbers(const LessonQuestion& question, const ValueOfName& number_of);
// Whether the measurement agrees with theory within the question's limit; true if nothing is compared.
bool agrees_with_theory(const LessonQuestion& question, const FoundNumbers& found);

// Points of an answer: all within the question's tolerance, half of them within three times the tolerance, else none.
constexpr int max_points_of_answer = 2;
int points_for_number(double answer, double asked, double tolerance);
// By the nearer one of measurement and theory where these agree: a student who computes theory's number is right.
int points_for_answer(const LessonQuestion& question, const FoundNumbers& found, double answer);
// The same for a sketch, by its distance from the measurement (compare_sketch): half of them within one and a half
// times the tolerance.
int points_for_distance(double distance, double tolerance);
inline int points_for_choice(int choice, int right_choice) { return choice == right_choice ? max_points_of_answer : 0; }
// The points of an answer in a second try: half of them, rounded up.
inline int points_in_second_try(int points) { return (points + 1) / 2; }

// The wrong numbers that the question names. Throws like find_numbers.
std::vector<double> values_of_mistakes(const LessonQuestion& question, const ValueOfName& number_of);
// Index of the mistake that a number is nearest to and within the relative tolerance of; -1: none.
int find_mistake(double answer, const std::vector<double>& mistakes, double tolerance);

// The value of a typed answer: a number, or a formula without names (formula.h). A decimal comma is read as a point;
// one that may separate thousands ("1,250") is an error. Signs such as ° and π are read too. Throws InputError.
double parse_answer(const std::string& text);

}  // namespace perturb
