// Asynchronous measurement of a run.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "cuda/core/backend/backend.h"

namespace perturb {

// At most one measurement is pending; callers get the latest completed one, so that a frame never waits. On the CPU a
// measurement takes the time of a few steps: unless `wait` is set, measurements get at most a tenth of the time.
template <class Measured>
class AsyncMeasurement {
 public:
  // The latest result; with `wait`, or if there is none yet, a result for the current state. `start()` queues a
  // measurement and returns its initial value; `ready()` and `wait_for()` refer to the queued one; `finish(measured)`
  // adds the values that were read back.
  template <class Start, class Ready, class WaitFor, class Finish>
  const Measured& update(const Backend& backend, bool wait, const Start& start, const Ready& ready,
                         const WaitFor& wait_for, const Finish& finish) {
    const auto take = [&] {
      finish(*pending_);
      latest_ = std::move(*pending_);
      pending_.reset();
    };
    if (pending_ && !wait && ready()) take();
    const auto now = Clock::now();
    const bool has_rested = backend.is_cuda() || now - last_end_ >= 10 * last_duration_;
    if (wait || !latest_ || (!pending_ && has_rested)) {
      if (pending_) {
        wait_for();
        take();
      }
      const bool at_once = wait || !latest_;
      pending_ = start();
      if (at_once) wait_for();
      if (ready()) take();
      last_end_ = Clock::now();
      last_duration_ = last_end_ - now;
    }
    return *latest_;
  }

  // The latest completed result; null: none yet, or forgotten.
  const Measured* latest() const { return latest_ ? &*latest_ : nullptr; }
  // For calls after the state was replaced; a queued measurement must have completed. drop_pending() keeps the latest
  // result until the next one, forget() discards it.
  void drop_pending() { pending_.reset(); }
  void forget() {
    pending_.reset();
    latest_.reset();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Measured> pending_, latest_;
  Clock::time_point last_end_{};
  Clock::duration last_duration_{};
};

}  // namespace perturb
