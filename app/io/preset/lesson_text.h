// Lessons: scenes in steps, with words and questions. What a lesson's file (TOML) says, checked against its
// simulation's tables; every error tells file, line and column.
//
//   title = "Two slits"                  # in menus
//   summary = "Where the fringes lie."   # one line
//   order = 1                            # place in menus
//   look = "light"                       # of the window while it is open: dark, light or high-contrast
//   simulation = "wave"                  # needed only where the file's folder is not named after it
//   [[step]]                             # one after the other
//   title = "Predict"
//   text = "..."                         # what the student reads; an empty line begins a paragraph
//   scene = "double-slit"                # begins this preset, or one of one's own; else the run goes on. The first
//                                        # step has one
//   size = [384, 256]                    # with a scene: as in a preset
//   seed = 1
//   steps_per_frame = 16
//   unlocked = ["wave_speed"]            # the parameters that may be changed; without this line all of them
//   tools = ["wall"]                     # the tools that may be used; without this line all of them
//   tool = "wall"                        # the tool that is taken
//   steps = 3000                         # after so many steps the question's numbers are read
//   [step.parameters]                    # as in a preset
//   wave_speed = 0.8
//   [step.view]                          # as in a preset
//   quantity = "height"
//   [[step.action]]                      # with a scene: done after the preset's own
//   [step.question]
//   id = "spacing"                       # a name for later formulas: the number that is found
//   text = "How far apart are the fringes?"
//   unit = "length"
//   measured = "fringe_spacing"          # a formula: what the run says
//   theory = "fringe_spacing_theory"     # a formula: what theory says; told beside it
//   agreement = 0.05                     # how far from theory the run may lie, as a share of it
//   tolerance = 0.1                      # how far from the run's number an answer may lie for all points
//   reveal = "..."                       # told with the answer
//   [[step.question.choice]]             # instead of a number that is typed: two or more
//   text = "Twice as far"
//   value = "2 * spacing"                # a formula: the choice nearest to the number found is right
//   [step.question.sketch]               # instead: a curve is drawn, and compared with one that is measured
//   curve = "screen"                     # by its id (a name of --curves)
//   x = [100, 400]                       # the axes' ends, within which it is compared
//   y = [0, 1]
//   x_label = "place on the screen"
//   y_label = "light"
//   free_height = true                   # only its shape counts
//
// A formula (formula.h) speaks of parameters by id, of the numbers that the simulation measures (the columns of
// --csv) by id, of an action of the scene as kind.field with "_" for "-" ("line_source.frequency", the first of its
// kind), of the numbers found by earlier questions by their ids, and of domain_width, domain_height and time. Of two
// with one name, an earlier question's goes before what is measured, and that before a parameter. Where measured is
// left away, theory is what the answer is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/event.h"
#include "app/run/scene.h"

namespace perturb {

struct LessonChoice {
  std::string text, value;
};

// A question whose answer is drawn: this curve of the simulation's, within these axes.
struct LessonSketch {
  std::string curve;                      // id
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  // the ends of the axes
  std::string x_label, y_label;
  bool free_height = false;  // only the shape counts
};

struct LessonQuestion {
  std::string id, text, unit, measured, theory, reveal;
  double agreement = 0.05, tolerance = 0.1;
  std::vector<LessonChoice> choices;   // empty: the answer is a number
  std::optional<LessonSketch> sketch;  // or drawn
  // The formula of the number that answers are compared with.
  const std::string& asked() const { return measured.empty() ? theory : measured; }
};

struct LessonStep {
  std::string title, text;
  Scene scene;                // as the step stands: its own, or an earlier one's, with all changes up to here
  bool begins_scene = false;  // else the run goes on with `changes`
  std::vector<ParameterChange> changes;
  bool changes_view = false;
  std::optional<std::vector<std::string>> unlocked, tools;  // ids; none: all
  std::string tool;                                         // empty: the one that is in hand
  std::int64_t steps = 0;
  std::optional<LessonQuestion> question;
};

struct Lesson {
  std::string simulation, id, title, summary;
  std::string theme;  // of the window while it is open: dark, light, high-contrast; empty: as it is
  std::int64_t order = 0;
  std::vector<LessonStep> steps;
  std::string path() const { return simulation + "/" + id; }  // "wave/two-slits"
};

// `name` is what errors call the file; an empty `simulation` is read from the file, or from the name of its folder.
// Throws InputError.
Lesson parse_lesson(const std::string& text, const std::string& name, const std::string& simulation,
                    const std::string& id);

// What a lesson says, in paragraphs: an empty line parts them, a single line break is a blank.
std::vector<std::string> paragraphs_of(const std::string& text);

}  // namespace perturb
