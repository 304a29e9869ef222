// The CPU's parallel loop over blocks of rows.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cuda/core/backend/stop.h"

namespace perturb {

class BlockRecorder;
struct BlockStart;

// A non-owning reference to a callable for a block of rows [begin, end): one indirect call per block, none per cell.
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

// A fixed number of threads, which the system must be able to start (startable). Rows are divided into equal contiguous
// blocks, the same ones every time, so that each thread finds its rows in its own cache. A waiting thread first spins
// briefly and then sleeps, so that it adds little load to a busy machine.
class CpuThreads {
 public:
  explicit CpuThreads(int threads);  // >= 1
  ~CpuThreads();
  int count() const { return count_; }
  // Calls `body` for disjoint blocks of about equal size that cover [0, rows): one for each thread, fewer if they would
  // have less than half of `min_rows` rows. Returns when all are done. If a stop request is set, blocks are processed
  // in smaller pieces, and Stopped is thrown once a stop is requested: `body` has then been called for some of the
  // rows.
  void for_row_blocks(int rows, int min_rows, const RowBlock& body);
  // How many blocks it makes, and the first row of a block.
  int row_blocks(int rows, int min_rows) const;
  static int first_row(int rows, int block, int blocks) {
    return static_cast<int>(static_cast<long long>(rows) * block / blocks);
  }
  void set_stop_request(const StopRequest* request) noexcept { stop_request_ = request; }
  // The next loop gives the starts of its blocks to this recorder; null: to none. `label` must be valid until then.
  void record_next(BlockRecorder* recorder, const char* label) {
    recorder_ = recorder;
    recorded_label_ = label;
  }
  // Stop requests are ignored during its lifetime.
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

  // The core that the calling thread runs on; -1: not known.
  static int current_core();
  // Processors this process may run on.
  static int available();
  // Number of threads, up to `wanted` and including this one, that the system can start now. If there are fewer, `why`
  // receives the system's reason.
  static int startable(int wanted, std::string* why = nullptr);

 private:
  struct Arena;
  // `start`: receives the start of the block; null: not recorded.
  void run_block(int begin, int end, int min_rows, const RowBlock& body, BlockStart* start) const;
  BlockStart* begin_record(int blocks);
  int count_;
  std::unique_ptr<Arena> arena_;
  const StopRequest* stop_request_ = nullptr;
  BlockRecorder* recorder_ = nullptr;
  const char* recorded_label_ = nullptr;
};

}  // namespace perturb
