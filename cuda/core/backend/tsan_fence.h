// What ThreadSanitizer must be told: that one thread's work is over before another one's begins, where a library of the
// system that was built without it, oneTBB, sees to that. Elsewhere these are no instructions.
#pragma once

#if defined(PERTURB_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace perturb {

// All that threads did before they give is seen by those that take afterwards.
class TsanFence {
 public:
#if defined(PERTURB_THREAD_SANITIZER)
  void release() { __tsan_release(this); }
  void acquire() { __tsan_acquire(this); }
#else
  void release() {}
  void acquire() {}
#endif
};

// Gives at the end of its life, whichever way that comes.
class ReleaseOnExit {
 public:
  explicit ReleaseOnExit(TsanFence& to) : to_(to) {}
  ~ReleaseOnExit() { to_.release(); }

 private:
  TsanFence& to_;
};

}  // namespace perturb
