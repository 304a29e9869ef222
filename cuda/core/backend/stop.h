// Stops a computation on request, such as a signal or a button.
//
//   StopRequest request;                       // one flag; request.request_stop() sets it
//   const StopScope scope(backend, request);   // from here on this backend observes it
//   try {
//     simulation.step(1000);
//   } catch (const Stopped&) {
//     // The state is that after simulation.steps() whole steps: it can be saved, shown and stepped further.
//   }
//
// The code that computes decides where it may stop, because only it defines what a half-done loop leaves behind. There
// are two ways:
//
//   backend.stop_point()          throws Stopped here: between whole steps, where the state is consistent
//   const InterruptibleScope here(backend);
//                                 every loop in its lifetime may stop inside: around work that writes only what is
//                                 rebuilt anyway (an evaluation, an assembly, an iterative solver), or around a whole
//                                 simulation that is discarded when it stops
//
// A loop outside InterruptibleScope always completes. So a simulation that uses none of this is never left
// half-changed. One that has a stop point in its step() and InterruptibleScope around all long work stops within a
// fraction of a second. Short steps (a pass over a grid) are never interrupted inside.
//
// Cost: nothing in a loop over cells. A stop point reads one flag; under InterruptibleScope, CPU threads read it about
// every millisecond, and on CUDA it is read before each launch: queued work still runs.
#pragma once

#include <atomic>
#include <exception>

namespace perturb {

class Backend;

// The computation was stopped on request. Not an Error: it is not a failure, and error handlers must not catch it as
// one.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "The computation was stopped."; }
};

// A stop request. Can be set from any thread and from a signal handler.
class StopRequest {
 public:
  void request_stop() noexcept { requested_.store(true, std::memory_order_relaxed); }
  void reset() noexcept { requested_.store(false, std::memory_order_relaxed); }
  bool stop_requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler requests the stop");
};

// During its lifetime, `backend` observes `request`, which must outlive it; the caller must expect Stopped. Of nested
// scopes, the inner one counts.
class StopScope {
 public:
  StopScope(Backend& backend, const StopRequest& request);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Backend& backend_;
  const StopRequest* before_;
};

// During its lifetime, loops of `backend` may stop inside (see above). The constructor throws Stopped if a stop is
// already requested. `here` = false: has no effect.
class InterruptibleScope {
 public:
  explicit InterruptibleScope(Backend& backend, bool here = true);
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;

 private:
  Backend& backend_;
  bool here_;
};

}  // namespace perturb
