// Output to the terminal: lines, large texts, and tables.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/files/printable.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

// Writes the text as one line (escape_for_terminal) with a line break.
void print_line(std::ostream& to, std::string_view text);

enum class PrintResult { all, reader_closed, cancelled };

// Writes all of `text` to standard output, after any output still buffered in std::cout, and waits for a slow reader.
// Requests `stop` if the reader has closed the pipe. Returns after a part of the text if a stop was requested
// elsewhere. SIGPIPE must be ignored. Throws Error if the output cannot be written, for example to a full disk.
PrintResult print_text(std::string_view text, StopRequest& stop);

// A text table. Columns are as wide as their widest cell; a heading that begins with '>' aligns its column to the
// right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings);
  void add(std::vector<std::string> row);
  void print(std::ostream& out) const;
  // Instead of print(): prints the headings now and each row when it is added, in columns that are wide enough for the
  // cells of `widest`.
  void print_as_added(std::ostream& out, const std::vector<std::string>& widest);

 private:
  std::vector<std::size_t> widths() const;
  void print_row(std::ostream& out, const std::vector<std::size_t>& widths, const std::vector<std::string>& row) const;

  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
  std::ostream* out_ = nullptr;  // of rows as they are added
};

// 0.00123 with unit "s" as "1.23 ms": three digits and a prefix from n to T.
std::string with_prefix(double value, const std::string& unit);

}  // namespace perturb
