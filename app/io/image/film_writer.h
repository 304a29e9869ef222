// A film that is written beside the run: pictures are handed over, and a thread gives them to the recorder.
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

namespace perturb {

class FilmWriter {
 public:
  explicit FilmWriter(std::unique_ptr<Recorder> recorder);
  // A film that was not finished is not kept.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  // The order of a pixel's bytes; what windows give is put right on the writer's thread.
  enum class Channels { rgba, bgra };
  // Memory for the next picture: that of one that is written, where there is one.
  Picture spare();
  // No picture is left out: where too many wait, this does too. Throws Error, once, when writing has failed.
  void add(Picture picture, Channels channels = Channels::rgba);
  // No more pictures come. is_done() says when all is written; finish() waits for it, and throws Error when it failed.
  void close();
  bool is_done();
  void finish();
  std::int64_t pictures() const { return pictures_; }  // handed over
  const std::string& destination() const { return recorder_->destination(); }

 private:
  static constexpr std::size_t most_waiting = 8;
  void work();
  void throw_failure();

  std::unique_ptr<Recorder> recorder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Picture, Channels>> waiting_;
  std::deque<Picture> spare_;
  bool closed_ = false, cancelled_ = false, done_ = false, thrown_ = false;
  std::string failure_;
  std::int64_t pictures_ = 0;
  std::thread thread_;
};

}  // namespace perturb
