// The numbers printed in the papers that the simulations follow: assets/sources/NAME.csv, one file per simulation,
// embedded. This is the only source of these numbers for studies and for tests of documentation pages.
//
// The file: a first line "# author | title | year", a line of headings, then one line per number:
//   place    "table B.1", "figure 7", "section 6.1"
//   row      the row of a table, otherwise the subject: "800", "if-kernel"
//   column   "CPU-only"
//   value    the digits as printed; times of the form h:m:s in seconds
//   unit     "s", "%"; empty for a plain number
//   read     "table", "text", "caption", "listing"; for curves "by eye, +-x", in the value's unit
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

struct PaperValue {
  std::string place, row, column;
  double value = 0;
  std::string unit, read;
  std::string digits;  // the value as written
};

class PaperTable {
 public:
  // Throws Error with the line number if the text is malformed. The texts are part of the project: a test reads them
  // all.
  PaperTable(std::string name, std::string_view text);

  const std::string& name() const { return name_; }  // of the simulation
  const std::string& author() const { return author_; }
  const std::string& title() const { return title_; }
  int year() const { return year_; }
  std::string cited() const;  // "author, title (year)"
  const std::vector<PaperValue>& values() const { return values_; }

  // Null if the paper has no such number.
  const PaperValue* find(std::string_view place, std::string_view row, std::string_view column) const;
  // The number. Throws Error if there is none: use `find` if it may be missing.
  double at(std::string_view place, std::string_view row, std::string_view column) const;
  // A column of a table whose rows are numbers, as a function of the row, in the table's order.
  std::vector<CurvePoint> curve(std::string_view place, std::string_view column) const;

 private:
  std::string name_, author_, title_;
  int year_ = 0;
  std::vector<PaperValue> values_;
};

// All tables, by name.
const std::vector<PaperTable>& paper_tables();
// The table of a simulation. Throws Error if there is none.
const PaperTable& paper_table(std::string_view simulation);

}  // namespace perturb
