// Lessons: scenes in steps, with texts and questions. Reads a lesson file (TOML) and checks it against the tables of
// its simulation; every error message gives file, line and column.
//
//   title = "Two slits"                  # in menus
//   summary = "Where the fringes lie."   # one line
//   order = 1                            # position in menus
//   theme = "light"                      # theme of the window while it is open: dark, light or high-contrast
//   simulation = "wave"                  # only needed if the file's folder is not named after it
//   learned = "..."                      # what the student now knows; shown at the end
//   aim = "..."                          # for the sheet for teachers (teacher_sheet.h), as the next two lines
//   minutes = 20
//   prior = "..."                        # what students must know before
//   [[step]]                             # one after the other
//   title = "Predict"
//   text = "..."                         # what the student reads; an empty line begins a paragraph. It may mark what
//                                        # depends on the front end (text_for in app/i18n/translation.h)
//   scene = "double-slit"                # starts this preset or user preset; without it the run continues. The
//                                        # first step has one
//   size = [384, 256]                    # with a scene: as in a preset
//   seed = 1
//   steps_per_frame = 16
//   unlocked = ["wave_speed"]            # the parameters that may be changed; without this line all of them
//   tools = ["wall", "objects"]          # the tools that may be used, and whether objects of the scene may be changed;
//                                        # without this line all of them
//   tool = "wall"                        # the selected tool
//   measure_kernels = true               # measures the times of this machine's kernels and shows them as bars
//   steps = 3000                         # number of steps after which the question's numbers are read
//   [step.parameters]                    # as in a preset
//   wave_speed = 0.8
//   [step.view]                          # as in a preset
//   quantity = "height"
//   [[step.lane]]                        # with a scene: as in a preset, two to four; the step is a race
//   kernel = "fused"
//   [[step.action]]                      # with a scene: applied after those of the preset
//   [step.question]
//   id = "spacing"                       # the name of the number found, for later formulas
//   text = "How far is the first fringe?"
//   unit = "length"                      # of its formulas, in the simulation's units. Answers are in the scene's
//   measured = "first_fringe"            # a formula: the measured number
//   theory = "first_fringe_theory"       # a formula: the number of theory, shown next to it
//   agreement = 0.05                     # allowed relative deviation of the run from theory
//   tolerance = 0.1                      # allowed relative deviation of an answer from the run's number for all points
//   hint = "..."                         # shown after a wrong answer, with a second try for half the points
//   reveal = "..."                       # shown with the answer
//   misconception = "..."                # for teachers: the idea behind wrong answers
//   [[step.question.mistake]]            # a typed number that students often give, and what is wrong with it
//   value = "188 * wave_speed"           # a formula: answers within the tolerance of it get this text
//   text = "..."
//   [[step.question.choice]]             # instead of a typed number: two or more
//   text = "Twice as far"
//   value = "2 * spacing"                # a formula: the choice nearest to the number found is right
//   explanation = "..."                  # why this choice is wrong
//   kernel = "fused"                     # selects this kernel. The value may be omitted: the time of its step
//   [step.question.sketch]               # instead: the student draws a curve, which is compared with a measured one
//   curve = "screen"                     # its id (a name of --curves)
//   x = [100, 400]                       # ranges of the axes, within which the curves are compared
//   x_unit = "length"                    # of x; the axis is labelled in the scene's unit
//   y = [0, 1]
//   x_label = "place on the screen"
//   y_label = "light"
//   free_height = true                   # only its shape counts
//   task = true                          # in a question: the answer is a change of the run that makes `measured`
//                                        # equal to `theory`, such as an edited kernel
//
// A formula (formula.h) may contain parameters by id; the numbers that the simulation measures (the columns of --csv)
// by id; a field of an action of the scene as kind.field with "_" for "-" ("line_source.frequency", the first of its
// kind); the numbers found by earlier questions by their ids; and domain_width, domain_height and time. Of a kernel:
// fused.seconds_per_step, .bytes_per_cell, .flops_per_cell and .roofline_fraction; of the fastest and of the slowest
// measured kernel fastest.seconds_per_step and slowest.seconds_per_step; of this machine copy_bandwidth and peak_flops
// (kernel_numbers.h). If a name is ambiguous, an earlier question's number takes precedence over a measured one, and
// that over a parameter. Without `measured`, answers are compared with `theory`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/run.h"

namespace perturb {

struct LessonChoice {
  std::string text, value, explanation;
  std::string kernel;  // id of the kernel that it selects; empty: none
};

// A wrong number that students often give.
struct LessonMistake {
  std::string value, text;
};

// A question whose answer is a drawing: a curve of the simulation, and the ranges of the axes.
struct LessonSketch {
  std::string curve;                      // id
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  // ranges of the axes
  std::string x_label, y_label;
  bool free_height = false;  // only the shape counts
  DisplayUnit shown_x{};     // of x in the scene
};

struct LessonQuestion {
  std::string id, text, unit, measured, theory, hint, reveal, misconception;
  DisplayUnit shown;  // of `unit` in the scene: answers are typed in it, and numbers shown in it
  double agreement = 0.05, tolerance = 0.1;
  std::vector<LessonChoice> choices;  // empty: the answer is a number
  std::vector<LessonMistake> mistakes;
  std::optional<LessonSketch> sketch;  // the answer is a drawing
  bool is_task = false;                // the answer is a change of the run
  // A wrong answer is followed by the hint and a second try.
  bool allows_second_try() const { return !hint.empty(); }
  // The formula of the number with which answers are compared.
  const std::string& asked() const { return measured.empty() ? theory : measured; }
  bool is_number() const { return choices.empty() && !sketch && !is_task; }
};

// The entry of a step's `tools` that means changes of the scene's objects (core/simulation/object.h).
inline constexpr const char* objects_as_tool = "objects";

struct LessonStep {
  std::string title, text;
  Scene scene;                // of this step or an earlier one, with all changes so far
  bool begins_scene = false;  // otherwise the run continues with `changes`
  std::vector<ParameterChange> changes;
  bool changes_view = false;
  std::optional<std::vector<std::string>> unlocked, tools;  // ids; none: all
  std::string tool;                                         // empty: the selected one
  std::int64_t steps = 0;
  bool measures_kernels = false;  // and shows their times
  std::optional<LessonQuestion> question;
  // A question about the start of a scene: the answer does not start the run.
  bool is_about_start() const { return begins_scene && steps == 0 && question; }
};

struct Lesson {
  std::string simulation, id, title, summary, learned;
  std::string aim, prior;  // for teachers
  std::int64_t minutes = 0;
  std::string theme;  // of the window while the lesson is open: dark, light, high-contrast; empty: unchanged
  std::int64_t order = 0;
  bool window_only = false;  // it uses parts of the window that the page lacks
  std::vector<LessonStep> steps;
  std::string path() const { return simulation + "/" + id; }  // "wave/two-slits"
  // Whether a question asks for a change of the run.
  bool has_tasks() const;
  // Whether the page leaves it out: it cannot compile kernels either.
  bool needs_window() const { return window_only || has_tasks(); }
};

// Error messages call the file `name`. If `simulation` is empty, it is read from the file, or from the name of its
// folder. Throws InputError.
Lesson parse_lesson(const std::string& text, const std::string& name, const std::string& simulation,
                    const std::string& id);

// Splits a text into paragraphs: an empty line separates them, a single line break is a space.
std::vector<std::string> paragraphs_of(const std::string& text);

}  // namespace perturb
