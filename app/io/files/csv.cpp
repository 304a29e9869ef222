#include "app/io/files/csv.h"

#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/optional_value.h"
#include "cuda/core/simulation/number_text.h"

namespace perturb {

CsvFile::CsvFile(const std::string& path) : path_(path), file_(path), stream_(file_.temporary(), std::ios::binary) {
  check_stream();
}

void CsvFile::check_stream() {
  if (!stream_)
    throw Error("Could not write \"" + path_ + "\": check that the disk is not full, or name another file.");
}

// Writes each row in one piece: if memory runs out, the file contains whole rows only.
void CsvFile::add(const Diagnostics& diagnostics) {
  std::string text;
  std::vector<std::string> columns = columns_;
  if (columns.empty()) {
    text = "step,time";
    for (const Scalar& scalar : diagnostics.scalars) {
      columns.push_back(scalar.id);
      text += ',' + scalar.id;
      if (!scalar.unit.empty()) text += " [" + scalar.unit + ']';
    }
    text += '\n';
  }
  text += std::to_string(diagnostics.step) + ',' + shortest_text(diagnostics.time);
  for (const std::string& id : columns) {
    text += ',';
    for (const Scalar& scalar : diagnostics.scalars)
      if (scalar.id == id && has_value(scalar.value)) text += shortest_text(scalar.value);
  }
  text += '\n';
  stream_ << text;
  columns_ = std::move(columns);
  check_output_fault(path_);
  check_stream();
}

void CsvFile::finish() {
  stream_.close();
  check_stream();
  file_.commit();
}

}  // namespace perturb
