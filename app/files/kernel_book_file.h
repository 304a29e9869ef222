// What was measured of kernels on this machine, kept from run to run.
#pragma once

#include <string>

#include "cuda/core/kernel_choice.h"

namespace perturb {

// "$XDG_CACHE_HOME/perturb/kernels.json", else in ~/.cache; empty where neither is set.
std::string kernel_book_path();

// Adds to `book` what the file holds. What another build of the program measured, or no program wrote, counts as
// nothing: the file is a cache, and everything in it can be measured again. Returns why an existing file cannot be read
// (a message), else nothing.
std::string read_kernel_book(const std::string& path, KernelBook& book);
// Replaces the file with all that `book` holds. Throws Error.
void write_kernel_book(const std::string& path, const KernelBook& book);

// While this lives, the process's book begins with the file's contents; at the end what was measured since goes
// there. What cannot be read is reported by `note()` and left alone; one that cannot be written is done without,
// silently: everything works, and only the first moments of a run are measured again.
class KernelBookFile {
 public:
  KernelBookFile();
  ~KernelBookFile();
  KernelBookFile(const KernelBookFile&) = delete;
  KernelBookFile& operator=(const KernelBookFile&) = delete;

  const std::string& note() const { return note_; }

 private:
  std::string path_, note_;
};

}  // namespace perturb
