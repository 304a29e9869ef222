// Annotation for ThreadSanitizer that one thread's work happens before another's, where oneTBB, a system library that
// was built without it, ensures the order. Compiles to nothing in other builds.
#pragma once

#if defined(PERTURB_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace perturb {

// Whatever a thread did before release() is visible to threads that call acquire() afterwards.
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

// Calls release() at scope exit, also after an exception.
class ReleaseOnExit {
 public:
  explicit ReleaseOnExit(TsanFence& to) : to_(to) {}
  ~ReleaseOnExit() { to_.release(); }

 private:
  TsanFence& to_;
};

}  // namespace perturb
