// Concurrent union-find: each item links to another item of its set, or to itself if it is the root. The root is the
// smallest index of the set, so it does not depend on the order of the unions.
#pragma once

#include "cuda/core/loops/atomic.h"

namespace perturb {

// Stores `value` if the current value is `expected`; returns the previous value.
PERTURB_HD inline int atomic_replace(int& to, int expected, int value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(&to, expected, value);
#else
  __atomic_compare_exchange_n(&to, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

// The root of `k`. Links only lead to smaller indices, so the search ends regardless of other threads.
PERTURB_HD inline int find_set(int* links, int k) {
  int next = relaxed_load(links[k]);
  while (next != k) {
    const int after = relaxed_load(links[next]);
    if (after != next) relaxed_store(links[k], after);  // path halving for later searches
    k = next, next = after;
  }
  return k;
}

PERTURB_HD inline void unite_sets(int* links, int a, int b) {
  for (;;) {
    a = find_set(links, a), b = find_set(links, b);
    if (a == b) return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    if (atomic_replace(links[high], high, low) == high) return;
  }
}

}  // namespace perturb
