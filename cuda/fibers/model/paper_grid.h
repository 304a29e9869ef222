// How the paper (Eriksson 2014, sections 5.3 and 5.4) distributes the triangle of pairs: a column for each fiber m,
// with its partners l = m+1 .. fibers-1 and their outer points one after the other, a thread for each. A column is cut
// into blocks of 128 threads. Long and short columns are folded together, so that the triangle becomes a grid of blocks
// in two dimensions, some of which have no work. A chunk is a range of columns that fits a given memory.
#pragma once

#include <cstddef>

#include "cuda/core/backend/host_device.h"

namespace perturb::fibers {

struct PaperGrid {
  static constexpr int block = 128;  // the paper's section 5.7.6

  int fibers = 0, points = 0;
  int first = 0, last = 0;     // columns first .. last-1
  const int* begin = nullptr;  // [fibers]: blocks of all columns before one; in the memory of the device that computes

  PERTURB_HD int columns() const { return last - first; }
  // Threads with work in a column, and its blocks.
  PERTURB_HD int items(int m) const { return (fibers - 1 - m) * points; }
  PERTURB_HD int blocks(int m) const { return (items(m) + block - 1) / block; }

  // Grid: a row of blocks has column first+y from the left and column last-1-y from the right. Both together have
  // nearly the same number of threads in every row.
  PERTURB_HD int height() const { return (columns() + 1) / 2; }
  PERTURB_HD int width() const {
    if (columns() == 1) return blocks(first);
    return (items(first) + items(last - 1) + block - 1) / block + 1;
  }
  // Column m of a block, and the block's index within it; false if it has no work.
  PERTURB_HD bool place(int x, int y, int& m, int& of_column) const {
    m = first + y, of_column = x;
    if (x < blocks(m)) return true;
    const int other = last - 1 - y;
    if (other <= m) return false;
    m = other, of_column = width() - 1 - x;
    return of_column < blocks(other);
  }

  // Memory of intermediate results: a slot for every thread of every block, also without work, so that each block
  // begins with a whole segment of memory.
  PERTURB_HD std::size_t slot(int m, int of_column) const {
    return (static_cast<std::size_t>(begin[m] - begin[first]) + static_cast<std::size_t>(of_column)) * block;
  }

  // Pairs are numbered column by column.
  PERTURB_HD long long pairs_before(int m) const {
    return static_cast<long long>(m) * (fibers - 1) - static_cast<long long>(m) * (m - 1) / 2;
  }
  PERTURB_HD long long pairs() const { return pairs_before(last) - pairs_before(first); }
  PERTURB_HD long long pair(int m, int l) const { return pairs_before(m) - pairs_before(first) + (l - m - 1); }
  PERTURB_HD void pair_of(long long number, int& m, int& l) const {
    const long long all = number + pairs_before(first);
    // The root is correct up to rounding.
    const double b = fibers - 0.5;
    m = static_cast<int>(b - ::sqrt(b * b - 2.0 * static_cast<double>(all)));
    m = m < first ? first : m >= last ? last - 1 : m;
    while (m > first && pairs_before(m) > all) --m;
    while (m + 1 < last && pairs_before(m + 1) <= all) ++m;
    l = static_cast<int>(all - pairs_before(m)) + m + 1;
  }
};

}  // namespace perturb::fibers
