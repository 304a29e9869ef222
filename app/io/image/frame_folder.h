// Records a video as a folder of numbered PNG files, encoded in the background.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/io/image/recorder.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// Writes 000000.png, 000001.png, ... in the order of add(). Low-priority threads encode and write the frames on the
// cores that the run leaves free. Frames wait in bounded memory; when it is full, add() waits too. If no thread can be
// started, add() encodes the frames itself. The next add() or finish() reports the first frame that fails, and no later
// one is begun.
class FrameFolder final : public Recorder {
 public:
  // Creates the folder. `threads` = 0: one per processor, at most eight. Throws Error.
  explicit FrameFolder(const std::string& folder, int threads = 0);
  // Frames that were added are still written.
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
  // Maximum number of frames of this size that may be queued or being encoded.
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
  std::int64_t failed_ = -1;  // lowest number of a failed frame
  Message failure_;
  std::vector<std::thread> threads_;
};

}  // namespace perturb
