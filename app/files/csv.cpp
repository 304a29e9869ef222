#include "app/files/csv.h"

#include "cuda/core/check.h"
#include "cuda/core/known.h"
#include "cuda/core/number_text.h"

namespace perturb {

CsvFile::CsvFile(const std::string& path) : path_(path), file_(path), stream_(file_.temporary(), std::ios::binary) {
  check_stream();
}

void CsvFile::check_stream() {
  if (!stream_)
    throw Error("Could not write \"" + path_ + "\": check that the disk is not full, or name another file.");
}

void CsvFile::add(const Diagnostics& diagnostics) {
  if (columns_.empty()) {
    stream_ << "step,time";
    for (const Scalar& scalar : diagnostics.scalars) {
      columns_.push_back(scalar.id);
      stream_ << ',' << scalar.id;
      if (!scalar.unit.empty()) stream_ << " [" << scalar.unit << ']';
    }
    stream_ << '\n';
  }
  stream_ << diagnostics.step << ',' << shortest_text(diagnostics.time);
  for (const std::string& id : columns_) {
    stream_ << ',';
    for (const Scalar& scalar : diagnostics.scalars)
      if (scalar.id == id && is_known(scalar.value)) stream_ << shortest_text(scalar.value);
  }
  stream_ << '\n';
  pass_output_door(path_);
  check_stream();
}

void CsvFile::finish() {
  stream_.close();
  check_stream();
  file_.commit();
}

}  // namespace perturb
