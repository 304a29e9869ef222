// The CPU's loop over blocks of rows.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cuda/core/backend/stop.h"

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

// A fixed number of threads, which the system must be able to start (startable). Rows are dealt out in equal contiguous
// blocks, the same ones every time, so that a thread finds its rows in its own cache again; a thread that waits first
// spins for a short while and then sleeps, so that a busy machine is not made busier.
class CpuThreads {
 public:
  explicit CpuThreads(int threads);  // >= 1
  ~CpuThreads();
  int count() const { return count_; }
  // Calls `body` for disjoint blocks that cover [0, rows), each at least `least` rows but for the last; returns when
  // all are done. While somebody may ask for an end, blocks are done in smaller pieces, and Stopped is thrown when it
  // was asked: `body` has then been called for some of the rows.
  void for_row_blocks(int rows, int least, const RowBlock& body);
  void set_stop_request(const StopRequest* request) noexcept { stop_request_ = request; }
  // While this lives nobody's wish for an end is heard.
  class UninterruptibleScope {
   public:
    explicit UninterruptibleScope(CpuThreads& threads)
        : threads_(threads), stop_request_(std::exchange(threads.stop_request_, nullptr)) {}
    ~UninterruptibleScope() { threads_.stop_request_ = stop_request_; }
    UninterruptibleScope(const UninterruptibleScope&) = delete;
    UninterruptibleScope& operator=(const UninterruptibleScope&) = delete;

   private:
    CpuThreads& threads_;
    const StopRequest* stop_request_;
  };

  // Processors this process may run on.
  static int available();
  // How many threads the system starts now, this one among them, of `wanted`; `why` receives its
  // reason where they are fewer.
  static int startable(int wanted, std::string* why = nullptr);

 private:
  struct Arena;
  void run_block(int begin, int end, int least, const RowBlock& body) const;
  int count_;
  std::unique_ptr<Arena> arena_;
  const StopRequest* stop_request_ = nullptr;
};

}  // namespace perturb
