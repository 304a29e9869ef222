#include "app/run/interrupts.h"

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <time.h>

namespace perturb {

namespace {

constexpr std::int64_t same_wish_ns = 300'000'000;

StopRequest asked_by_signal;
std::atomic<std::int64_t> asked_at{0};  // nanoseconds of the monotonic clock

// What it calls may be called from a signal handler.
void on_signal(int signal) {
  const int error = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  if (!asked_by_signal.asked()) {
    asked_at = now;
    asked_by_signal.ask();
  } else if (signal != SIGHUP && now - asked_at > same_wish_ns) {
    struct sigaction ordinary {};
    ordinary.sa_handler = SIG_DFL;
    sigaction(signal, &ordinary, nullptr);
    raise(signal);  // comes when this handler returns
  }
  errno = error;
}

}  // namespace

Interrupts::Interrupts() {
  asked_by_signal.withdraw();
  // Without SA_RESTART: a wait for a slow reader ends.
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
  sigaction(SIGHUP, nullptr, &old_hang_up_);
  if (old_hang_up_.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &old_pipe_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaction(SIGHUP, &old_hang_up_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
}

StopRequest& Interrupts::request() { return asked_by_signal; }
bool Interrupts::asked() const { return asked_by_signal.asked(); }

}  // namespace perturb
