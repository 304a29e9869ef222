// A file of lines that grows while a program runs, and that holds whole lines however the program ends.
#pragma once

#include <string>
#include <vector>

#include "app/io/files/process.h"

namespace perturb {

// Appends lines. While it exists, no other object can open the same file (flock), so that its last line is nobody
// else's. Where files cannot be locked, it does without.
class LineFile {
 public:
  // Opens the file, or creates it. Throws InputError if it is in use, is not a regular file or cannot be opened.
  explicit LineFile(const std::string& path);

  // The lines that were there, without their line breaks.
  const std::vector<std::string>& lines() const { return lines_; }
  // What follows them without a line break, left by a process that was killed; usually nothing.
  const std::string& partial_line() const { return partial_line_; }
  // Removes it from the file; call it before add(). Throws Error.
  void cut_partial_line();
  // Appends a line, which contains no line break, by one call of write(): a process that is killed leaves all of it or
  // the beginning. Throws Error if it cannot be written; nothing of it is then left.
  void add(const std::string& line);

 private:
  std::string path_;
  Descriptor file_;
  std::vector<std::string> lines_;
  std::string partial_line_;
};

}  // namespace perturb
