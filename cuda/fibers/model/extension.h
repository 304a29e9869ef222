// The paper's extension (Eriksson 2014, chapter 5): the interaction of all pairs on a device, in chunks that fit its
// memory, passed to a processor that does everything else. While the processor works on a chunk the device computes the
// next one.
//
// The paper distributes the triangle of pairs as follows (sections 5.3 and 5.4): a column for each fiber m, with its
// partners l = m+1 .. fibers-1 and their outer points one after the other, a thread for each. A column is cut into
// blocks of 128 threads. Long and short columns are folded together, so that the triangle becomes a grid of blocks in
// two dimensions, some of which have no work. A chunk is a range of columns that fits a given memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/matrix.h"

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
    m = first + y;
    of_column = x;
    if (x < blocks(m)) return true;
    const int other = last - 1 - y;
    if (other <= m) return false;
    m = other;
    of_column = width() - 1 - x;
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

enum class Fetching {
  in_turn,   // a kernel, its results, then the processor: what the paper timed as "non-parallel"
  at_once,   // the next kernel is queued when the results have arrived, by a blocking copy, as in the paper
  by_itself  // the results are copied asynchronously after the kernel, into pinned memory
};

// Theta_ml^{nk} of the columns first .. last-1: [(K+1)²·6][pairs], pairs by `grid.pair(m, l)`.
struct Chunk {
  PaperGrid grid;
  const double* numbers = nullptr;
};

class Extension {
 public:
  static constexpr int order = 5, columns = tensor * (order + 1), numbers = columns * (order + 1);

  // For `fibers` fibers of half-length 1 and an outer rule of `points`. `memory`: bytes that a chunk may take on the
  // device. Throws InputError if one column does not fit, Error when memory is short.
  Extension(Backend& device, int fibers, int points, std::size_t memory);

  int chunks() const { return static_cast<int>(grids_.size()); }
  // Bytes on the device.
  std::size_t bytes() const;

  // Begins an evaluation; positions in the host's memory, [fibers][3] each.
  void begin(const double* position, const double* tangent, const FiberRule& rule, double doublet, Fetching fetching);
  // Returns the next chunk, valid until the next call; null after the last.
  const Chunk* fetch();

 private:
  void queue(std::size_t chunk);

  Backend& device_;
  int points_;  // of the outer rule
  std::vector<PaperGrid> grids_;
  Array<int> begin_;
  Array<double> position_, tangent_, integrals_, results_;
  std::vector<double> plain_;
  std::unique_ptr<AsyncReadback> pinned_[2];
  FiberRule rule_;
  double doublet_ = 0;
  Fetching fetching_ = Fetching::in_turn;
  std::size_t queued_ = 0, fetched_ = 0;
  Chunk chunk_;
};

// The processor's work on a chunk: stores its tensors where products read them (mirrored layouts).
void assemble_chunk(Backend& cpu, const Chunk& chunk, const Layout& layout, double* theta);

// Registers and occupancy of the kernel on CUDA; zero on the CPU.
LaunchShape extension_shape(const Backend& device);

namespace detail {
// kernels/kernels.cu, or kernels/no_kernels.cpp. integrals: [columns][slots]; results: [numbers][pairs].
void extension_cuda(Backend&, const PaperGrid&, const Poses&, const FiberRule&, double doublet, std::size_t slots,
                    double* integrals, double* results);
LaunchShape extension_shape_cuda();
}  // namespace detail

// ---- work of one thread, on either backend

// The inner integral at one outer point: item `item` of column m, at `node` of fiber m. Number c goes to to[c·slots].
PERTURB_HD inline void extension_point(const PaperGrid& grid, const Poses& poses, double node, double doublet, int m,
                                       int item, double* to, std::size_t slots) {
  const int l = m + 1 + item / grid.points;
  const std::size_t at_m = 3 * static_cast<std::size_t>(m), at_l = 3 * static_cast<std::size_t>(l);
  const double *const tm = poses.tangent + at_m, *const tl = poses.tangent + at_l;
  const Vector3<double> r = add_scaled(fiber_separation(poses.position + at_m, poses.position + at_l, poses.box), node,
                                       Vector3<double>{tm[0], tm[1], tm[2]});
  double g[Extension::order + 1][tensor];
  inner_integral<Starts::published, Extension::order>(r, Vector3<double>{tl[0], tl[1], tl[2]}, doublet, last_moment, g);
  PERTURB_UNROLL
  for (int k = 0; k <= Extension::order; ++k) {
    PERTURB_UNROLL
    for (int c = 0; c < tensor; ++c) to[static_cast<std::size_t>(k * tensor + c) * slots] = g[k][c];
  }
}

// The outer sums of one column of numbers of one pair of the chunk.
template <class Rule>
PERTURB_HD inline void extension_sum(const PaperGrid& grid, const Rule& rule, std::size_t slots,
                                     const double* integrals, int column, long long pair, double* results) {
  int m = 0, l = 0;
  grid.pair_of(pair, m, l);
  const double* const from = integrals + static_cast<std::size_t>(column) * slots + grid.slot(m, 0) +
                             static_cast<std::size_t>(l - m - 1) * grid.points;
  double sum[Extension::order + 1] = {};
  for (int q = 0; q < grid.points; ++q) {
    const double value = from[q];
    PERTURB_UNROLL
    for (int n = 0; n <= Extension::order; ++n) sum[n] = multiply_add(rule.weight[q][n], value, sum[n]);
  }
  const std::size_t pairs = static_cast<std::size_t>(grid.pairs());
  PERTURB_UNROLL
  for (int n = 0; n <= Extension::order; ++n)
    results[static_cast<std::size_t>(n * Extension::columns + column) * pairs + static_cast<std::size_t>(pair)] =
        sum[n];
}

}  // namespace perturb::fibers
