// Atomic updates for both backends, and a union-find that uses them. Only for results that do not depend on the order:
// integer sums, maxima, and positions in a list whose order does not matter. On the host they are compiler built-ins
// (GCC's and clang's __atomic_), on which std::atomic_ref is based and which also work with older clang libraries.
#pragma once

#include <cstdint>

#include "cuda/core/backend/host_device.h"

namespace perturb {

// Adds and returns the previous value.
PERTURB_HD inline int atomic_add(int& to, int amount) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&to, amount);
#else
  return __atomic_fetch_add(&to, amount, __ATOMIC_RELAXED);
#endif
}

// Two's complement makes unsigned addition correct for signed numbers too.
PERTURB_HD inline void atomic_add(std::int64_t& to, std::int64_t amount) {
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(amount));
#else
  __atomic_fetch_add(&to, amount, __ATOMIC_RELAXED);
#endif
}

// For non-negative values, whose bit patterns sort like the numbers. If the value is not larger, this costs only a
// read.
PERTURB_HD inline void atomic_max(float& to, float value) {
#if defined(__CUDA_ARCH__)
  if (value > *static_cast<volatile float*>(&to)) atomicMax(reinterpret_cast<int*>(&to), __float_as_int(value));
#else
  float old;
  __atomic_load(&to, &old, __ATOMIC_RELAXED);
  while (value > old && !__atomic_compare_exchange(&to, &old, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

PERTURB_HD inline void atomic_min(int& to, int value) {
#if defined(__CUDA_ARCH__)
  atomicMin(&to, value);
#else
  int old = __atomic_load_n(&to, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(&to, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

// Stores and returns the previous value.
PERTURB_HD inline int atomic_exchange(int& to, int value) {
#if defined(__CUDA_ARCH__)
  return atomicExch(&to, value);
#else
  return __atomic_exchange_n(&to, value, __ATOMIC_RELAXED);
#endif
}

// Access to a value that other threads may be writing: no torn reads, and no ordering of other memory.
PERTURB_HD inline int relaxed_load(const int& from) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile int*>(&from);
#else
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
#endif
}
PERTURB_HD inline void relaxed_store(int& to, int value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile int*>(&to) = value;
#else
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
#endif
}

// Stores `value` if the current value is `expected`; returns whether it was, and otherwise sets `expected` to the
// current value. May fail spuriously: for use in loops, on the host.
inline bool atomic_compare_exchange(int& to, int& expected, int value) {
  return __atomic_compare_exchange_n(&to, &expected, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Reserves a position in a list: the next number of `counter`, an int or an std::int64_t. On CUDA the threads of a warp
// that call it together use one atomic operation.
template <class Int>
PERTURB_HD inline Int reserve_slot(Int& counter) {
  static_assert(sizeof(Int) == 4 || sizeof(Int) == 8);
#if defined(__CUDA_ARCH__)
  const unsigned together = __activemask();
  const unsigned lane = threadIdx.x & 31u;
  const int leader = __ffs(static_cast<int>(together)) - 1;
  Int first = 0;
  if (static_cast<int>(lane) == leader) {
    if constexpr (sizeof(Int) == 4)
      first = atomicAdd(&counter, __popc(together));
    else
      first = static_cast<Int>(atomicAdd(reinterpret_cast<unsigned long long*>(&counter),
                                         static_cast<unsigned long long>(__popc(together))));
  }
  first = __shfl_sync(together, first, leader);
  return first + __popc(together & ((1u << lane) - 1u));
#else
  return __atomic_fetch_add(&counter, Int{1}, __ATOMIC_RELAXED);
#endif
}

// Concurrent union-find: each item links to another item of its set, or to itself if it is the root. The root is the
// smallest index of the set, so it does not depend on the order of the unions. `links`: one per item.

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
    k = next;
    next = after;
  }
  return k;
}

PERTURB_HD inline void unite_sets(int* links, int a, int b) {
  for (;;) {
    a = find_set(links, a);
    b = find_set(links, b);
    if (a == b) return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    if (atomic_replace(links[high], high, low) == high) return;
  }
}

}  // namespace perturb
