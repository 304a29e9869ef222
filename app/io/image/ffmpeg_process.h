// ffmpeg as a child process that reads raw pictures from a pipe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/types.h>

#include "cuda/core/backend/stop.h"

namespace perturb {

// How long a child may show no sign of life (it takes no bytes, and uses no processor) before it is
// taken for stuck; seconds.
struct FfmpegTimeouts {
  double ordinary = 60;
  double when_stopped = 3;  // once somebody has asked for an end
};

class FfmpegProcess {
 public:
  enum class Outcome { well, failed, stuck };

  // Starts `arguments[0]`, in a process group of its own: Ctrl+C is for this program, which then lets ffmpeg end in
  // order. `stop` may be null. Throws Error when it cannot be started.
  FfmpegProcess(const std::vector<std::string>& arguments, const StopRequest* stop, FfmpegTimeouts timeouts);
  // Ends it, where finish() has not.
  ~FfmpegProcess();
  FfmpegProcess(const FfmpegProcess&) = delete;
  FfmpegProcess& operator=(const FfmpegProcess&) = delete;

  // Waits until all bytes are taken. One that is stuck is killed.
  Outcome feed(const void* bytes, std::size_t size);
  // No more bytes come: waits until it has ended.
  Outcome finish();
  // The first line it has complained with; empty: none.
  std::string error_text() const;

 private:
  using Clock = std::chrono::steady_clock;
  void note_activity() { last_activity_ = Clock::now(); }
  bool is_stuck();
  void kill_it();

  const StopRequest* stop_;
  FfmpegTimeouts timeouts_;
  std::FILE* error_output_;
  int pipe_ = -1;
  pid_t child_ = 0;
  Clock::time_point last_activity_;
  unsigned long long processor_time_ = 0;
};

}  // namespace perturb
