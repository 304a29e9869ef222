#include "app/run/interrupts.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <time.h>

namespace perturb {

namespace {

constexpr std::int64_t same_wish_ns = 300'000'000;

StopRequest asked_by_signal;
std::atomic<std::int64_t> asked_at{0};  // nanoseconds of the monotonic clock
std::atomic<bool> asked_by_processor_time{false};

// What it calls may be called from a signal handler.
void on_signal(int signal) {
  const int error = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  const bool may_insist = signal == SIGINT || signal == SIGTERM || signal == SIGQUIT;
  if (signal == SIGXCPU) asked_by_processor_time = true;
  if (!asked_by_signal.asked()) {
    asked_at = now;
    asked_by_signal.ask();
  } else if (may_insist && now - asked_at > same_wish_ns) {
    struct sigaction ordinary {};
    ordinary.sa_handler = SIG_DFL;
    sigaction(signal, &ordinary, nullptr);
    raise(signal);  // comes when this handler returns
  }
  errno = error;
}

// Where both limits of processor time are the same (ulimit -t sets both), the system kills the process without a
// signal that it could handle. The soft limit then comes earlier, so that what was computed can be written.
void leave_processor_time_for_the_end(const rlimit& now) {
  constexpr rlim_t least = 1, most = 60;  // seconds, of all threads together
  if (now.rlim_max == RLIM_INFINITY || now.rlim_cur < now.rlim_max || now.rlim_max <= least) return;
  const rlimit earlier{now.rlim_max - std::clamp(now.rlim_max / 10, least, most), now.rlim_max};
  setrlimit(RLIMIT_CPU, &earlier);
}

}  // namespace

Interrupts::Interrupts() {
  asked_by_signal.withdraw();
  asked_by_processor_time = false;
  // Without SA_RESTART: a wait for a slow reader ends.
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t k = 0; k < ending_signals.size(); ++k) {
    const int signal = ending_signals[k];
    sigaction(signal, nullptr, &old_[k]);
    // Others ignore it, or have a handler of their own (a profiler's clock).
    const bool is_taken = old_[k].sa_handler != SIG_DFL && signal != SIGINT && signal != SIGTERM;
    if (!is_taken) sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &old_pipe_);
  knows_processor_time_ = getrlimit(RLIMIT_CPU, &old_processor_time_) == 0;
  if (knows_processor_time_) leave_processor_time_for_the_end(old_processor_time_);
}

Interrupts::~Interrupts() {
  for (std::size_t k = 0; k < ending_signals.size(); ++k) sigaction(ending_signals[k], &old_[k], nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  if (knows_processor_time_) setrlimit(RLIMIT_CPU, &old_processor_time_);
}

StopRequest& Interrupts::request() { return asked_by_signal; }
bool Interrupts::asked() const { return asked_by_signal.asked(); }
bool Interrupts::out_of_processor_time() const { return asked_by_processor_time; }

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace perturb
