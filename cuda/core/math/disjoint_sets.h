// Sets that grow together, by many threads at once: each thing points to another one of its set, or to itself
// where it stands for the set. Which of them stands for it does not depend on the order of the unions: the
// one with the least number.
#pragma once

#include "cuda/core/loops/atomic.h"

namespace perturb {

// Stores `value` if `expected` is there; returns what was there before.
PERTURB_HD inline int atomic_replace(int& to, int expected, int value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(&to, expected, value);
#else
  __atomic_compare_exchange_n(&to, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

// What stands for the set of `k`. Links only ever lead to smaller numbers, so the way ends whatever other threads do.
PERTURB_HD inline int find_set(int* links, int k) {
  int next = relaxed_load(links[k]);
  while (next != k) {
    const int after = relaxed_load(links[next]);
    if (after != next) relaxed_store(links[k], after);  // halves the way of those who come later
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
