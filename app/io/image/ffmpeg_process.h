// ffmpeg as a child process that reads raw images from a pipe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "app/io/files/process.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

// Time after which a child without activity (it reads no bytes and uses no processor time) counts as stuck, in seconds.
struct FfmpegTimeouts {
  double ordinary = 60;
  double when_stopped = 3;  // after a stop has been requested
};

class FfmpegProcess {
 public:
  enum class Outcome { well, failed, stuck };

  // Starts `arguments[0]` in its own process group: Ctrl+C then reaches only this program, which lets ffmpeg finish
  // normally. `stop` may be null. Throws Error if it cannot be started.
  FfmpegProcess(const std::vector<std::string>& arguments, const StopRequest* stop, FfmpegTimeouts timeouts);
  // Kills the process if finish() has not been called.
  ~FfmpegProcess();
  FfmpegProcess(const FfmpegProcess&) = delete;
  FfmpegProcess& operator=(const FfmpegProcess&) = delete;

  // Waits until all bytes are read. Kills a stuck process.
  Outcome feed(const void* bytes, std::size_t size);
  // Closes the input and waits for the process to end.
  Outcome finish();
  // The first line of its error output; empty: none.
  std::string error_text() const;

 private:
  using Clock = std::chrono::steady_clock;
  void note_activity() { last_activity_ = Clock::now(); }
  bool is_stuck();
  void kill_it();

  const StopRequest* stop_;
  FfmpegTimeouts timeouts_;
  std::FILE* error_output_;
  Descriptor pipe_;
  ChildProcess child_;
  Clock::time_point last_activity_;
  double processor_seconds_ = 0;
};

}  // namespace perturb
