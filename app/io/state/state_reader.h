// The process that reads a state file: this program, started again only for that, with limits on memory and time. HDF5
// may crash or loop forever on a damaged file; then only that process is lost.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "app/io/files/process.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// The only argument of such a process. The file is its standard input; it sends the result to its standard output in
// the format of state_wire.h.
inline constexpr const char* state_reader_argument = "@read-state";

// Call first in main(), before anything is initialised.
bool is_state_reader(int argc, char** argv);
// Reads the file and sends the result. Never returns.
[[noreturn]] void serve_as_state_reader();

// The parent's side: controls the reader process.
class ReaderProcess {
 public:
  // Starts a process that reads the file behind the descriptor; the destructor kills it if it is still running.
  // Throws Error if it cannot be started.
  explicit ReaderProcess(int file);

  // Reads exactly this number of bytes. Returns false if the process ends before that, or is silent for a minute.
  bool read(std::span<std::byte> into);
  // Describes how the process ended, after read() has returned false: "HDF5 failed: Segmentation fault".
  Message ending();

 private:
  ChildProcess child_;
  Descriptor pipe_;
  bool silent_ = false;
};

}  // namespace perturb
