// Records a video in the background: a thread passes the frames to the recorder.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "app/io/image/recorder.h"
#include "cuda/core/backend/message.h"

namespace perturb {

class FilmWriter {
 public:
  explicit FilmWriter(std::unique_ptr<Recorder> recorder);
  // Discards a video that was not finished.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  // Byte order of a pixel; the writer's thread converts the frames of windows.
  enum class Channels { rgba, bgra };
  // An image buffer for the next frame, reusing that of a written one if possible.
  Picture spare();
  // Never skips a frame: waits if too many are queued. Throws Error, once, after writing has failed.
  void add(Picture picture, Channels channels = Channels::rgba);
  // Ends the video. is_done() returns whether all frames are written; finish() waits for that, and throws Error on
  // failure.
  void close();
  bool is_done();
  void finish();
  std::int64_t pictures() const { return pictures_; }  // number of frames added
  const std::string& destination() const { return recorder_->destination(); }

 private:
  static constexpr std::size_t max_waiting = 8;
  void work();
  void throw_failure();

  std::unique_ptr<Recorder> recorder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Picture, Channels>> waiting_;
  std::deque<Picture> spare_;
  bool closed_ = false, cancelled_ = false, done_ = false, thrown_ = false;
  Message failure_;
  std::int64_t pictures_ = 0;
  std::thread thread_;
};

}  // namespace perturb
