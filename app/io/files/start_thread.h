// Starts threads.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "cuda/core/backend/check.h"

namespace perturb {

// Throws Error with a remedy if the system cannot start a thread (ulimit -u, pids.max, no memory for its stack).
template <class F>
std::thread start_thread(F&& body) {
  try {
    return std::thread(std::forward<F>(body));
  } catch (const std::system_error& error) {
    throw Error(
        "Cannot start a thread ({}). Close other programs, or raise the limits for processes and memory (ulimit -u, "
        "ulimit -v).",
        error.code().message());
  }
}

}  // namespace perturb
