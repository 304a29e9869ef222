// Under a sanitizer everything takes ten times as long, so a test that touches no memory of its own skips itself there.
// (Tests over all scenes or sizes take a few of them: tests/support/reach.h.)
#pragma once

#include <gtest/gtest.h>

#if defined(PERTURB_ADDRESS_SANITIZER) || defined(PERTURB_THREAD_SANITIZER)
#define PERTURB_SANITIZED
#endif
#if defined(PERTURB_ADDRESS_SANITIZER)
#include <sanitizer/lsan_interface.h>
#endif

namespace perturb {

#if defined(PERTURB_SANITIZED)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// AddressSanitizer alone: ThreadSanitizer needs loops that are long enough for several threads.
#if defined(PERTURB_ADDRESS_SANITIZER)
inline constexpr bool is_address_sanitized = true;
#else
inline constexpr bool is_address_sanitized = false;
#endif

inline constexpr bool is_thread_sanitized = is_sanitized && !is_address_sanitized;

// What is allocated in its lifetime may leak: for libraries that load others and unload them again, because such memory
// cannot be named in scripts/lsan.supp.
class MayLeak {
#if defined(PERTURB_ADDRESS_SANITIZER)
  __lsan::ScopedDisabler disabler_;
#else
 public:
  MayLeak() {}
#endif
};

}  // namespace perturb

// The first line of a test that no sanitizer needs, because other tests access the same memory. `why` says which.
#define SKIP_UNDER_SANITIZERS(why) \
  if (perturb::is_sanitized) GTEST_SKIP() << "under a sanitizer: " << (why)
