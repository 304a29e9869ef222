// Signals that end the program: Ctrl+C, a closed terminal, a system shutdown, a limit of processor time, a closed pipe.
#pragma once

#include <array>
#include <csignal>

#include <sys/resource.h>

#include "cuda/core/backend/stop.h"

namespace perturb {

// Signals by which a user, the system or a batch queue ends a program; each would end it at once by default. SIGXFSZ
// (limit on file sizes) does not ask the program to end: see ignore_file_size_signal().
inline constexpr std::array ending_signals = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGXCPU, SIGUSR1,
                                              SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPWR};

// During its lifetime, these signals request an orderly stop through `request()`. SIGPIPE is ignored: a write to a
// closed pipe fails, and the writer requests the stop. A second SIGINT, SIGTERM or SIGQUIT ends the program at once. It
// counts only a third of a second after the first, because one request may arrive as several signals: `timeout` sends
// two, a closing terminal sends several SIGHUP, and a limit of processor time sends SIGXCPU every second. Signals other
// than SIGINT and SIGTERM stay ignored if they were ignored before (nohup). At most one object may exist at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  StopRequest& request();
  bool stop_requested() const;
  // Whether the process has reached its limit of processor time.
  bool out_of_processor_time() const;

 private:
  std::array<struct sigaction, ending_signals.size()> old_{};
  struct sigaction old_pipe_ {};
  rlimit old_processor_time_{};
  bool has_processor_time_limit_ = false;
};

// Makes a write past the limit on file sizes (ulimit -f) fail with EFBIG, so that it is reported like any other failure
// instead of ending the program. Applies from here on, also to child processes.
void ignore_file_size_signal();

}  // namespace perturb
