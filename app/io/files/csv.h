// Diagnostics over time, and curves, as tables of comma-separated values.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "app/io/files/output.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// The first line names the columns: "step,time,<id> [<unit>],...", without brackets for a pure number. Numbers read
// back bit for bit. The file appears under its name when finish() is called.
class CsvFile {
 public:
  // `columns`: of all numbers that rows may have; a row leaves those empty that it does not have. Other numbers of the
  // first row have columns too. `note`: the heading of an empty last column, such as the scale of the units; empty: no
  // such column. Throws Error.
  explicit CsvFile(const std::string& path, std::vector<Column> columns = {}, std::string note = {});
  // Throws Error; the rows before are kept.
  void add(const Diagnostics& diagnostics);
  bool is_empty() const { return complete_ == 0; }  // no row was added
  // The file gets its name, which is returned. If a row could not be written, the rows before it are kept, under an
  // unused name if there is an older file.
  std::string finish();

 private:
  void check_stream();

  std::string path_, note_;
  PendingFile file_;
  std::ofstream stream_;
  std::vector<Column> columns_;
  std::uintmax_t complete_ = 0;  // bytes of the rows that are in the file
};

// A field of a table; quoted if it contains commas or quotation marks (RFC 4180).
std::string csv_field(const std::string& text);
// A unit as a field, in ASCII: "mass*length^2/time^2". A spreadsheet reads a table without a byte order mark in the
// code page of its system, and other programs would take the mark for a part of the first heading.
std::string csv_unit(const std::string& unit);
// One row per point: "curve,x,x_unit,y,y_unit,kind", where the kind is "measured" or "theory" and a curve is named by
// its id. Points of a logarithmic curve are written as the actual numbers. Numbers read back bit for bit.
std::string curves_as_csv(const std::vector<Curve>& curves);
// Throws Error.
void save_text(const std::string& text, const std::string& path);

// Relative deviation of a curve from theory: the area between both, as a share of the area under theory, over the
// measured points within the range of theory. Between its points theory is linear; a table of reference values is
// compared at its own points. So a peak that is shifted or too high counts only with its width. For logarithmic curves
// the mean factor between both, minus 1. NaN if theory is missing, does not hold (core/simulation/uncompared.h), is
// zero at all of these points, or consists of tick marks: positions without a height, each drawn as three points above
// one another.
double error_against_theory(const Curve& curve);
// ", 2.3 % off", to follow a label; empty if there is no error to show.
Message error_text(const Curve& curve);

}  // namespace perturb
