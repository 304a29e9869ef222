// The CPU's loop over blocks of rows.
#pragma once

#include <memory>

namespace perturb {

// A callable for a block of rows [begin, end), without owning it: one indirect call per block, none per cell.
class RowBlock {
 public:
  template <class F>
  explicit RowBlock(const F& body)
      : object_(&body),
        call_([](const void* object, int begin, int end) { (*static_cast<const F*>(object))(begin, end); }) {}
  void operator()(int begin, int end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, int, int);
};

// A fixed number of threads. Rows are dealt out in equal contiguous blocks, the same ones every time, so that a thread
// finds its rows in its own cache again; a thread that waits first spins for a short while and then sleeps, so that a
// busy machine is not made busier.
class CpuThreads {
 public:
  explicit CpuThreads(int threads);  // >= 1
  ~CpuThreads();
  int count() const { return count_; }
  // Calls `body` for disjoint blocks that cover [0, rows), each at least `least` rows but for the last; returns when all are done.
  void for_row_blocks(int rows, int least, const RowBlock& body);

  // Processors this process may run on.
  static int available();

 private:
  struct Arena;
  int count_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace perturb
