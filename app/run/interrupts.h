// Signals that ask the program to end: Ctrl+C, a terminal that closes, a system that shuts down, a limit of processor
// time, a pipe nobody reads.
#pragma once

#include <array>
#include <csignal>

#include <sys/resource.h>

#include "cuda/core/backend/stop.h"

namespace perturb {

// Signals with which a user, a system or a queue of batch jobs ends a program, and of which each would end it at once.
// (SIGXFSZ, of a limit on file sizes, is no wish for an end: ignore_file_size_signal().)
inline constexpr std::array ending_signals = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGXCPU, SIGUSR1,
                                              SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPWR};

// While this lives, those signals ask `request()` for an orderly end, and a write to a closed pipe fails instead of
// ending the program (SIGPIPE is ignored): the writer asks then. Interrupted again (SIGINT, SIGTERM or SIGQUIT),
// the program ends at once; that counts from a third of a second on, for one wish may come as several signals
// (`timeout` sends two, a terminal that closes SIGHUP more than once, a limit of processor time SIGXCPU every second).
// Signals other than SIGINT and SIGTERM stay ignored where they were (nohup). One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  StopRequest& request();
  bool stop_requested() const;
  // Whether the process has used up the processor time that it may use.
  bool out_of_processor_time() const;

 private:
  std::array<struct sigaction, ending_signals.size()> old_{};
  struct sigaction old_pipe_ {};
  rlimit old_processor_time_{};
  bool has_processor_time_limit_ = false;
};

// A write past the limit of file sizes (ulimit -f) fails with EFBIG, and is reported as any other failure, instead of
// ending the program. From here on, and in the programs that this one starts.
void ignore_file_size_signal();

}  // namespace perturb
