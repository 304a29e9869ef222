// Diagnostics over time as a table of comma-separated values.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "app/io/files/output.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// The first line names the columns: "step,time,<id> [<unit>],...", without brackets for a pure number. Numbers read
// back bit for bit. The file appears under its name when finish() is called.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path);  // throws Error
  // Takes the columns from the first row; later rows have the same scalars. Throws Error.
  void add(const Diagnostics& diagnostics);
  bool is_empty() const { return columns_.empty(); }  // no row was added
  void finish();

 private:
  void check_stream();

  std::string path_;
  PendingFile file_;
  std::ofstream stream_;
  std::vector<std::string> columns_;
};

}  // namespace perturb
