// How far a test goes: through all scenes, sizes or steps, or through a small part of them.
#pragma once

#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/sanitized.h"

namespace perturb {

// Under a sanitizer, because later iterations of a loop touch no memory that the first ones did not, and with
// PERTURB_REACH=small in the environment, which scripts/test sets. A test at small reach lasts at most a second.
inline bool has_small_reach() {
  const char* reach = std::getenv("PERTURB_REACH");
  return is_sanitized || (reach != nullptr && std::string_view(reach) == "small");
}

template <class T>
T reach(T whole, T part) {
  return has_small_reach() ? part : whole;
}

}  // namespace perturb

// The first line of a test that has no small part, because other tests run the same code. `why` says which.
#define SKIP_AT_SMALL_REACH(why) \
  if (perturb::has_small_reach()) GTEST_SKIP() << "at small reach: " << (why)
