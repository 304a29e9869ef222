// Signals that ask the program to end: Ctrl+C, a terminal that closes, a system that shuts down, a pipe nobody reads.
#pragma once

#include <csignal>

#include "cuda/core/stop.h"

namespace perturb {

// While this lives, SIGINT, SIGTERM and SIGHUP ask `request()` for an orderly end, and a write to a closed pipe
// fails instead of ending the program (SIGPIPE is ignored): the writer asks then. Interrupted a second time
// (SIGINT or SIGTERM), the program ends at once; that counts from a third of a second on, for one wish may come as
// several signals (`timeout` sends two, a terminal that closes SIGHUP more than once). SIGHUP stays ignored where
// it was (nohup). One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  StopRequest& request();
  bool asked() const;

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{}, old_hang_up_{}, old_pipe_{};
};

}  // namespace perturb
