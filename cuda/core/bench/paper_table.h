// The numbers of the published works that the simulations follow, as those works print them: assets/sources/NAME.csv,
// one file a simulation, embedded. Studies, and tests of what pages say, take them from here and from nowhere else.
//
// The file: a first line "# author | title | year", a line of headings, then a line for each number:
//   place    "table B.1", "figure 7", "section 6.1"
//   row      of a table its row, else what is spoken of: "800", "if-kernel"
//   column   "CPU-only"
//   value    the work's digits; times of the form h:m:s in seconds
//   unit     "s", "%"; empty for a plain number
//   read     "table", "text", "caption", "listing"; of a curve "by eye, +-x", in the value's unit
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
  std::string digits;  // the value as it is written
};

class PaperTable {
 public:
  // Throws Error, naming the line, where the text is damaged. The texts are ours: a test reads them all.
  PaperTable(std::string name, std::string_view text);

  const std::string& name() const { return name_; }  // the simulation's
  const std::string& author() const { return author_; }
  const std::string& title() const { return title_; }
  int year() const { return year_; }
  std::string cited() const;  // "author, title (year)"
  const std::vector<PaperValue>& values() const { return values_; }

  // Null where the work has no such number.
  const PaperValue* find(std::string_view place, std::string_view row, std::string_view column) const;
  // The number. Throws Error where there is none: a caller that cannot know asks with `find`.
  double at(std::string_view place, std::string_view row, std::string_view column) const;
  // A column of a table whose rows are numbers, against them, in the table's order.
  std::vector<CurvePoint> curve(std::string_view place, std::string_view column) const;

 private:
  std::string name_, author_, title_;
  int year_ = 0;
  std::vector<PaperValue> values_;
};

// All of them, by name.
const std::vector<PaperTable>& paper_tables();
// That of a simulation. Throws Error where there is none.
const PaperTable& paper_table(std::string_view simulation);

}  // namespace perturb
