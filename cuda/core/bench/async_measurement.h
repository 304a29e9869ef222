// AsyncMeasurement beside a run.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "cuda/core/backend/backend.h"

namespace perturb {

// One measurement at a time is on its way; what is told is the latest that came back, so that a frame never waits. On
// the CPU measuring takes the time of a few steps: unless it is asked for, it gets no more than a tenth of all.
template <class Measured>
class AsyncMeasurement {
 public:
  // The latest; with `wait`, or where there is none yet, one of this very moment. `start()` queues a measurement and
  // tells of which moment it is; `ready()` and `wait_for()` are those of what was queued; `finish(measured)` adds what
  // came back.
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
      if (pending_) wait_for(), take();
      const bool at_once = wait || !latest_;
      pending_ = start();
      if (at_once) wait_for();
      if (ready()) take();
      last_end_ = Clock::now(), last_duration_ = last_end_ - now;
    }
    return *latest_;
  }

  // The latest that came back; null: none yet, or it was forgotten.
  const Measured* latest() const { return latest_ ? &*latest_ : nullptr; }
  // After the state became another one; what was queued must have been waited for. The latest is told until the next
  // one, or no more.
  void drop_pending() { pending_.reset(); }
  void forget() { pending_.reset(), latest_.reset(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Measured> pending_, latest_;
  Clock::time_point last_end_{};
  Clock::duration last_duration_{};
};

}  // namespace perturb
