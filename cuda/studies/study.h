// An experiment beyond a list of kernels: a sweep over sizes, a table that compares a paper with this machine, an error
// as a function of a parameter. A simulation lists its studies; `perturb bench SIM --ID` runs one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

// A number of a paper, shown with the digits that the paper prints: "16.50".
struct PrintedNumber {
  double value = 0;
  std::string digits;
  bool operator==(const PrintedNumber&) const = default;
};

// Value of a table cell: a number, of any arithmetic type, or text. Numbers are printed with `StudyColumn::digits`
// digits and written to JSON in full.
struct StudyValue : std::variant<double, std::string, PrintedNumber> {
  StudyValue() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> StudyValue(Number number) : variant(static_cast<double>(number)) {}
  StudyValue(const char* text) : variant(std::string(text)) {}
  StudyValue(std::string text) : variant(std::move(text)) {}
  StudyValue(PrintedNumber number) : variant(std::move(number)) {}
};

// The number of a cell, whether measured or printed by a paper; NaN for text.
double number_of(const StudyValue& value);
// A cell whose value may not exist: not measured here, or not printed by a paper.
inline StudyValue value_if(bool known, StudyValue value, const char* otherwise = "-") {
  return known ? std::move(value) : StudyValue(otherwise);
}

struct StudyColumn {
  std::string id;     // the key in JSON: "seconds_per_step"
  std::string label;  // the heading: "time per step"
  std::string unit;   // "s", "B", "cell/s", ... are printed with a prefix (12.3 ms); other units appear in the heading
  int digits = 3;     // if more than three and the unit has prefixes: printed in full without a prefix (a paper's own
                      // digits)
};

// A column without a unit is labelled by its id, unless it has a label.
inline StudyColumn column(std::string id) { return {id, id, ""}; }
inline StudyColumn column(std::string id, std::string label, int digits) {
  return {std::move(id), std::move(label), "", digits};
}
inline StudyColumn column(std::string id, std::string label, std::string unit = "", int digits = 3) {
  return {std::move(id), std::move(label), std::move(unit), digits};
}

// Kind of a plot's line. Each kind has its own style and is named in the legend.
enum class LineKind {
  measured,   // solid: numbers of this machine
  paper,      // dashed: numbers that the paper prints
  theory,     // dotted: a formula or a bound
  reference,  // dash-dotted: our own numbers that others are compared with
};
// "measured", "paper", "theory", "reference"
const char* name_of(LineKind kind);

// One line of a plot.
struct StudyLine {
  std::string label;
  std::vector<CurvePoint> points = {};
  LineKind kind = LineKind::measured;

  void add(double x, double y) { points.push_back({x, y}); }
};

// A table declares its columns once and gets a row at a time; plots take their lines from its columns.
struct StudyTable {
  StudyTable() = default;
  StudyTable(std::string table_id, std::string table_title, std::vector<StudyColumn> table_columns = {},
             std::string table_note = {})
      : id(std::move(table_id)),
        title(std::move(table_title)),
        columns(std::move(table_columns)),
        note(std::move(table_note)) {}

  std::string id, title;
  std::vector<StudyColumn> columns;
  std::vector<std::vector<StudyValue>> rows;  // each as long as `columns`
  std::string note;                           // printed below the table: origin of the compared numbers

  // The cells in the order of the columns.
  void add(std::vector<StudyValue> row) { rows.push_back(std::move(row)); }
  // The index of a column. Throws Error if there is none.
  std::size_t index_of(std::string_view column_id) const;
  // The numbers of column `y` against those of column `x`, from the rows that have both. The label of an empty one is
  // that of the column.
  StudyLine line(std::string_view x, std::string_view y, std::string label = "",
                 LineKind kind = LineKind::measured) const;
  // A line for each of these columns, or for each of all others.
  std::vector<StudyLine> lines(std::string_view x, const std::vector<std::string>& y = {}) const;
};

struct StudyPlot {
  std::string title = {}, x_label = {}, x_unit = {}, y_label = {}, y_unit = {};
  bool logarithmic_x = false, logarithmic_y = false;  // points that are not positive are then omitted
  std::vector<StudyLine> lines = {};
};

// An axis of a plot.
struct StudyAxis {
  std::string label, unit = {};
  Scale scale = Scale::linear;
};
StudyPlot plot_of(std::string title, StudyAxis x, StudyAxis y, std::vector<StudyLine> lines = {});

struct StudyResult {
  std::vector<StudyTable> tables;
  std::vector<StudyPlot> plots;
};

// Called with a short description before each part that takes time: "N = 8000, FP32".
using StudyProgress = std::function<void(const std::string&)>;

// The user's options for all studies, in addition to a setup.
struct StudyRequest {
  bool long_too = false;    // also the parts that take more than a few minutes on two processor cores
  bool size_given = false;  // the size of the setup is the user's, not that of the preset
  int starts = 0;           // of studies with several; 0: as many as each has by itself
};
// The current request: that of the innermost StudyRequestScope, otherwise the default. Applies to all threads; scopes
// do not overlap on different threads.
const StudyRequest& study_request();
class StudyRequestScope {
 public:
  explicit StudyRequestScope(const StudyRequest& request);
  ~StudyRequestScope();
  StudyRequestScope(const StudyRequestScope&) = delete;
  StudyRequestScope& operator=(const StudyRequestScope&) = delete;

 private:
  StudyRequest before_;
};

// The end of a table's note if parts are left out because --long was not given, or because --size excludes them: which,
// and the option that includes them. Empty if `parts` is.
std::string left_out_note(const std::string& parts);

struct Study {
  std::string id;       // the option's name: "accuracy" for --accuracy; must differ from all options of `perturb bench`
  std::string summary;  // one sentence, for --help and the manual
  bool standard = false;  // also printed by a plain `perturb bench SIM`, after the kernels
  // `setup` is the named scene or the simulation's first preset, with --size if given. Throws InputError for a setup
  // that cannot be studied. (Display is not included: app/cli/bench_study.h studies it.)
  StudyResult (*run)(Backend& backend, const Setup& setup, const StudyProgress& progress) = nullptr;
};

// The studies of a simulation; empty if it has none. They form a separate library, perturb_studies, so that changing a
// study rebuilds no simulation.
std::vector<Study> studies_of(const std::string& simulation);

}  // namespace perturb
