// Giving up what is being computed, because somebody asked for an end: a signal, or a button.
//
//   StopRequest request;                       // one flag; whoever wants an end calls request.request_stop()
//   const StopScope scope(backend, request);   // from here on this backend heeds it
//   try {
//     simulation.step(1000);
//   } catch (const Stopped&) {
//     // simulation.steps() whole steps are done, and the state is theirs: it can be saved, shown and stepped on from.
//   }
//
// Where a computation may be given up is for the code that computes to say, for it alone knows what a half-done loop
// would leave behind. There are two ways:
//
//   backend.stop_point()          throws Stopped here: between whole steps, where the state is in order
//   const InterruptibleScope here(backend);
//                                 every loop while this lives may stop inside: around work that writes only what is
//                                 rebuilt anyway (an evaluation, an assembly, an iterative solver), or around a whole
//                                 simulation that is thrown away when it stops
//
// A loop outside InterruptibleScope always ends. So a simulation that knows nothing of this is never left half-changed;
// one that has a stop point in its step() and InterruptibleScope around whatever takes long answers within a fraction
// of a second. Steps that are short (a pass over a grid) are never interrupted inside.
//
// What it costs: nothing in a loop over cells. A stop point reads one flag; under InterruptibleScope, CPU threads read
// it every millisecond or so, and on CUDA it is read before each launch: what is queued already still runs.
#pragma once

#include <atomic>
#include <exception>

namespace perturb {

class Backend;

// The computation was given up because it was asked to. No Error: it is no failure, and whoever handles failures
// should not take it for one.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "The computation was stopped."; }
};

// A wish to stop. May be asked from any thread and from a signal handler.
class StopRequest {
 public:
  void request_stop() noexcept { requested_.store(true, std::memory_order_relaxed); }
  void reset() noexcept { requested_.store(false, std::memory_order_relaxed); }
  bool stop_requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler asks");
};

// While this lives, `backend` heeds `request`, which must live as long: whoever calls it expects Stopped. Of
// two, the inner one counts.
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

// While this lives, loops of `backend` may be given up inside (see above). Throws Stopped at once when that is asked
// already. `here` = false: changes nothing.
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
