// An experiment that is more than a row of kernels: a sweep over sizes, a table of a source beside this machine's, an
// error against a parameter. A simulation lists its studies; `perturb bench SIM --ID` runs one.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

// What a cell of a table holds. Numbers are printed with `StudyColumn::digits` digits and go into JSON in full.
using StudyValue = std::variant<double, std::string>;

struct StudyColumn {
  std::string id;     // the key in JSON: "seconds_per_step"
  std::string label;  // the heading: "time per step"
  std::string unit;   // "s", "B", "cell/s", ... are printed with a prefix (12.3 ms); other units stand in the heading
  int digits = 3;     // more than three of a unit with a prefix: printed in full, without one (a source's own digits)
};

struct StudyTable {
  std::string id, title;
  std::vector<StudyColumn> columns;
  std::vector<std::vector<StudyValue>> rows;  // each as long as `columns`
  std::string note;                           // below the table: where the compared numbers come from
};

// One line of a plot. What is compared with (theory, a source's numbers) is drawn dashed.
struct StudyLine {
  std::string label;
  std::vector<CurvePoint> points;
  bool dashed = false;
};

struct StudyPlot {
  std::string title, x_label, x_unit, y_label, y_unit;
  bool logarithmic_x = false, logarithmic_y = false;  // points that are not positive are then left out
  std::vector<StudyLine> lines;
};

struct StudyResult {
  std::vector<StudyTable> tables;
  std::vector<StudyPlot> plots;
};

// Called with a few words before each part that takes time: "N = 8000, FP32".
using StudyProgress = std::function<void(const std::string&)>;

struct Study {
  std::string id;         // the option's name: "accuracy" for --accuracy; no option of `perturb bench` may have it
  std::string summary;    // one sentence, for --help and the manual
  bool standard = false;  // printed by a plain `perturb bench SIM` too, after the kernels
  // `setup` is the scene that was named, or the simulation's first preset, with --size if given. Throws InputError for
  // what cannot be studied there. (What the program shows is no part of it: a study of that is app/cli/frame_study.h.)
  StudyResult (*run)(Backend& backend, const Setup& setup, const StudyProgress& progress) = nullptr;
};

}  // namespace perturb
