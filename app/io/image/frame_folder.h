// A film as a folder of numbered PNGs, encoded beside the run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/io/image/recorder.h"

namespace perturb {

// 000000.png, 000001.png, ... in the order of add(). Threads of low priority encode and write them on the cores
// that the run leaves free; pictures wait in bounded memory, and where that is full add() waits too. Where no
// thread can be started, add() encodes itself. The first picture that fails is told by the next add() or by
// finish(), and no later one is begun.
class FrameFolder final : public Recorder {
 public:
  // Makes the folder. `threads` = 0: one for each processor, up to eight. Throws Error.
  explicit FrameFolder(const std::string& folder, int threads = 0);
  // Pictures that were given are written all the same.
  ~FrameFolder() override;
  FrameFolder(const FrameFolder&) = delete;
  FrameFolder& operator=(const FrameFolder&) = delete;

  void add(const Picture& picture) override;
  void finish() override;

 private:
  struct Frame {
    std::int64_t number;
    Picture picture;
  };
  // Pictures of a size that may wait or be encoded at most.
  std::size_t room_for(const Picture& picture) const;
  void work();
  void write(const Frame& frame) const;
  void end_threads();
  void throw_failure(std::unique_lock<std::mutex>& lock);

  std::int64_t count_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> waiting_;
  std::size_t at_work_ = 0;
  bool ended_ = false;
  std::int64_t failed_ = -1;  // the least number of a picture that failed
  std::string failure_;
  std::vector<std::thread> threads_;
};

}  // namespace perturb
