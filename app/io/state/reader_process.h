// The parent's side of state_reader.h: controls the reader process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <sys/types.h>

namespace perturb {

class ReaderProcess {
 public:
  // Starts a process that reads the file behind the descriptor. Throws Error if it cannot be started.
  explicit ReaderProcess(int file);
  // Kills the process if it is still running.
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  // Reads exactly this number of bytes. Returns false if the process ends before that, or is silent for a minute.
  bool read(std::span<std::byte> into);
  // Describes how the process ended, after read() has returned false: "HDF5 broke off: Segmentation fault".
  std::string ending();

 private:
  pid_t child_ = 0;
  int pipe_ = -1;
  bool silent_ = false;
};

}  // namespace perturb
