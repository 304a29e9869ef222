// Where and when the blocks of a launch start: on which multiprocessor of a GPU, or on which core of a CPU, where a
// block is the rows of a thread. For the launch overlay.
//
//   BlockRecorder recorder(backend);
//   recorder.request();
//   simulation.step(1);                                        // the first launch with each label is recorded
//   for (const BlockStarts& launch : recorder.take()) ...      // waits for the device
//
// On a CPU every loop with a label is recorded. On a GPU the kernel must write the record: with_block_record in
// cuda_launch.h and parallel_for_shown have a second version of it for this, so that the usual one is as fast as
// without. While nothing is requested, a launch reads one pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"

namespace perturb {

struct BlockStart {
  std::int64_t nanoseconds = 0;  // on a clock that all blocks share; 0: not recorded
  int unit = -1;                 // index of the multiprocessor or core; -1: not known
};

// The blocks of one launch.
struct BlockStarts {
  std::string label;               // of the loop, as in KernelStats
  int blocks_x = 0, blocks_y = 1;  // of the launch
  std::vector<BlockStart> blocks;  // row by row
  double seconds = 0;              // that the launch took; 0: not known
};

// On a GPU: one for each 4 x 4 cells of 4096 x 4096 (16 MiB). A CPU has few.
inline constexpr std::int64_t max_recorded_blocks = std::int64_t{1} << 20;

class BlockRecorder {
 public:
  // `backend` must outlive it.
  explicit BlockRecorder(Backend& backend) : backend_(backend) {}
  ~BlockRecorder() { detach(); }
  BlockRecorder(const BlockRecorder&) = delete;
  BlockRecorder& operator=(const BlockRecorder&) = delete;

  // Records the next launch with each label, until take(). A request of another recorder of the backend ends. Throws
  // Error if memory runs out.
  void request();
  // Ends the request; returns the launches recorded since.
  std::vector<BlockStarts> take();
  // Ends the request, and releases the memory.
  void stop();

  // For launches: memory of the backend to which each block of the launch writes its start. Null if this launch is not
  // recorded: another one with its label was, or it has too many blocks.
  BlockStart* begin(const char* label, int blocks_x, int blocks_y);
  // Whether a launch with this label is being recorded: its time is due.
  bool is_open(const char* label) const { return is_open_ && launches_.back().label == label; }
  void end(double seconds) {
    is_open_ = false;
    launches_.back().seconds = seconds;
  }

 private:
  void detach();
  void clear() {
    used_ = 0;
    launches_.clear();
    is_open_ = false;
  }

  struct Launch {
    std::string label;
    int blocks_x, blocks_y;
    std::size_t first;  // of its blocks in `memory_`
    double seconds = 0;
  };
  Backend& backend_;
  Array<BlockStart> memory_;
  std::size_t used_ = 0;
  std::vector<Launch> launches_;
  bool is_open_ = false;  // the last of them
};

// The same for the recorder whose request the backend has; null also if there is none.
inline BlockStart* begin_block_record(const Backend& backend, const char* label, int blocks_x, int blocks_y) {
  BlockRecorder* const recorder = backend.block_recorder();
  return recorder ? recorder->begin(label, blocks_x, blocks_y) : nullptr;
}

}  // namespace perturb
