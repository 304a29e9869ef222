#include "app/files/csv.h"

#include <charconv>

#include "cuda/core/check.h"

namespace perturb {

namespace {

std::string exact(double value) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace

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
  stream_ << diagnostics.step << ',' << exact(diagnostics.time);
  for (const std::string& id : columns_) {
    stream_ << ',';
    for (const Scalar& scalar : diagnostics.scalars)
      if (scalar.id == id) stream_ << exact(scalar.value);
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
