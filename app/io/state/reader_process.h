// The other end of state_reader.h: the process as its parent sees it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <sys/types.h>

namespace perturb {

class ReaderProcess {
 public:
  // Starts one that reads the file behind the descriptor. Throws Error when none can be started.
  explicit ReaderProcess(int file);
  // Ends it, whatever it does.
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  // Waits for so many bytes. False when the process has ended before, or does nothing for a minute.
  bool read(std::span<std::byte> into);
  // How it ended, in words, once read() has been false: "HDF5 broke off: Segmentation fault".
  std::string ending();

 private:
  pid_t child_ = 0;
  int pipe_ = -1;
  bool silent_ = false;
};

}  // namespace perturb
