// What ThreadSanitizer must be told: that one thread's work is over before another one's begins, where a library of the
// system that was built without it, oneTBB, sees to that. Elsewhere these are no instructions.
#pragma once

#if defined(PERTURB_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace perturb {

// All that threads did before they give is seen by those that take afterwards.
class HandOver {
 public:
#if defined(PERTURB_THREAD_SANITIZER)
  void give() { __tsan_release(this); }
  void take() { __tsan_acquire(this); }
#else
  void give() {}
  void take() {}
#endif
};

// Gives at the end of its life, whichever way that comes.
class GivesAtEnd {
 public:
  explicit GivesAtEnd(HandOver& to) : to_(to) {}
  ~GivesAtEnd() { to_.give(); }

 private:
  HandOver& to_;
};

}  // namespace perturb
