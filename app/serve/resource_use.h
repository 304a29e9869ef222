// Processor time and memory, for measurements.
#pragma once

#include <chrono>
#include <cstddef>

namespace perturb {

// Since unknown starts: only differences between two readings have a meaning.
struct ResourceUse {
  std::chrono::steady_clock::time_point time;
  double process_seconds = 0, thread_seconds = 0;  // processor time of this process and of the calling thread
  double machine_seconds = 0;                      // of all processes; 0 where the system does not say
  std::size_t resident_bytes = 0;                  // memory of this process; 0 as above

  static ResourceUse now();
};

}  // namespace perturb
