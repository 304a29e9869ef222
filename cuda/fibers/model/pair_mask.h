// Pairs of fibers as bits, [fibers][words] of 32: bit l of row m marks the pair (m, l).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/backend/host_device.h"

namespace perturb::fibers {

constexpr int pair_bits = 32;
inline int pair_mask_words(int fibers) { return (fibers + pair_bits - 1) / pair_bits; }

PERTURB_HD inline int bits_set(std::uint32_t v) {
  int count = 0;
  for (; v != 0; v &= v - 1) ++count;
  return count;
}
// The bits of columns from `first` on, and those before `end`.
PERTURB_HD inline std::uint32_t bits_from(int first) {
  return first <= 0 ? ~0u : first >= pair_bits ? 0u : ~0u << first;
}
PERTURB_HD inline std::uint32_t bits_before(int end) { return ~bits_from(end); }

struct PairMask {
  const std::uint32_t* mask;
  int fibers, words;
  // Without the fiber itself, and without entries beyond the last fiber.
  PERTURB_HD std::uint32_t word(int m, int w) const {
    std::uint32_t v = mask[static_cast<std::size_t>(m) * words + w] & bits_before(fibers - w * pair_bits);
    if (m / pair_bits == w) v &= ~(1u << (m % pair_bits));
    return v;
  }
  // Marked partners of m with numbers in [begin, end).
  PERTURB_HD int count(int m, int begin, int end) const {
    int sum = 0;
    for (int w = begin / pair_bits; w < words && w * pair_bits < end; ++w)
      sum += bits_set(word(m, w) & bits_from(begin - w * pair_bits) & bits_before(end - w * pair_bits));
    return sum;
  }
};

// Number of partners of each fiber, of all or of those with higher numbers; zero after the last fiber.
struct CountPairs {
  PairMask row;
  bool upper;
  int* counts;
  PERTURB_HD void operator()(int m) const {
    counts[m] = m < row.fibers ? row.count(m, upper ? m + 1 : 0, row.fibers) : 0;
  }
};

}  // namespace perturb::fibers
