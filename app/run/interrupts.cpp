#include "app/run/interrupts.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <time.h>

namespace perturb {

namespace {

constexpr std::int64_t same_request_ns = 300'000'000;

StopRequest signal_stop_request;
std::atomic<std::int64_t> requested_at{0};  // nanoseconds of the monotonic clock
std::atomic<bool> processor_time_exceeded{false};

// All functions called from here are async-signal-safe.
void on_signal(int signal) {
  const int error = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  const bool ends_on_repeat = signal == SIGINT || signal == SIGTERM || signal == SIGQUIT;
  if (signal == SIGXCPU) processor_time_exceeded = true;
  if (!signal_stop_request.stop_requested()) {
    requested_at = now;
    signal_stop_request.request_stop();
  } else if (ends_on_repeat && now - requested_at > same_request_ns) {
    struct sigaction ordinary {};
    ordinary.sa_handler = SIG_DFL;
    sigaction(signal, &ordinary, nullptr);
    raise(signal);  // delivered when this handler returns
  }
  errno = error;
}

// If the hard and soft limits of processor time are equal (ulimit -t sets both), the system kills the process without a
// signal that can be handled. Lowers the soft limit, so that the results can be written before that.
void lower_soft_processor_time_limit(const rlimit& now) {
  constexpr rlim_t min_margin = 1, max_margin = 60;  // seconds, summed over all threads
  if (now.rlim_max == RLIM_INFINITY || now.rlim_cur < now.rlim_max || now.rlim_max <= min_margin) return;
  const rlimit earlier{now.rlim_max - std::clamp(now.rlim_max / 10, min_margin, max_margin), now.rlim_max};
  setrlimit(RLIMIT_CPU, &earlier);
}

}  // namespace

Interrupts::Interrupts() {
  signal_stop_request.reset();
  processor_time_exceeded = false;
  // Without SA_RESTART, so that the signal interrupts a blocking write to a slow reader.
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t k = 0; k < ending_signals.size(); ++k) {
    const int signal = ending_signals[k];
    sigaction(signal, nullptr, &old_[k]);
    // Other signals are left alone if they are ignored or have another handler (a profiler's timer).
    const bool is_taken = old_[k].sa_handler != SIG_DFL && signal != SIGINT && signal != SIGTERM;
    if (!is_taken) sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &old_pipe_);
  has_processor_time_limit_ = getrlimit(RLIMIT_CPU, &old_processor_time_) == 0;
  if (has_processor_time_limit_) lower_soft_processor_time_limit(old_processor_time_);
}

Interrupts::~Interrupts() {
  for (std::size_t k = 0; k < ending_signals.size(); ++k) sigaction(ending_signals[k], &old_[k], nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  if (has_processor_time_limit_) setrlimit(RLIMIT_CPU, &old_processor_time_);
}

StopRequest& Interrupts::request() { return signal_stop_request; }
bool Interrupts::stop_requested() const { return signal_stop_request.stop_requested(); }
bool Interrupts::out_of_processor_time() const { return processor_time_exceeded; }

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace perturb
