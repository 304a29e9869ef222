// How far a test goes: through all scenes, sizes or steps, or through a small part of them.
#pragma once

#include <cstdlib>
#include <string_view>

#include "tests/support/sanitized.h"

namespace perturb {

// Under a sanitizer, and with PERTURB_REACH=small in the environment. A test at small reach lasts at most a second.
inline bool has_small_reach() {
  const char* reach = std::getenv("PERTURB_REACH");
  return is_sanitized || (reach != nullptr && std::string_view(reach) == "small");
}

template <class T>
T reach(T whole, T part) {
  return has_small_reach() ? part : whole;
}

}  // namespace perturb
