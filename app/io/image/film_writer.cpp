#include "app/io/image/film_writer.h"

#include <utility>

#include "app/io/files/start_thread.h"
#include "cuda/core/backend/check.h"

namespace perturb {

FilmWriter::FilmWriter(std::unique_ptr<Recorder> recorder)
    : recorder_(std::move(recorder)), thread_(start_thread([this] { work(); })) {}

FilmWriter::~FilmWriter() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    cancelled_ = !done_;
  }
  changed_.notify_all();
  thread_.join();
}

Picture FilmWriter::spare() {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) return {};
  Picture picture = std::move(spare_.front());
  spare_.pop_front();
  return picture;
}

void FilmWriter::throw_failure() {
  if (failure_.empty() || thrown_) return;
  thrown_ = true;
  throw Error(failure_);
}

void FilmWriter::add(Picture picture, Channels channels) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < max_waiting || !failure_.empty(); });
  throw_failure();
  if (!failure_.empty()) return;
  waiting_.emplace_back(std::move(picture), channels);
  ++pictures_;
  lock.unlock();
  changed_.notify_all();
}

void FilmWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool FilmWriter::is_done() {
  const std::lock_guard lock(mutex_);
  return done_;
}

void FilmWriter::finish() {
  close();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
  throw_failure();
}

void FilmWriter::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (cancelled_ || (waiting_.empty() && closed_)) break;
    auto [picture, channels] = std::move(waiting_.front());
    waiting_.pop_front();
    const bool well = failure_.empty();
    lock.unlock();
    Message failure;
    if (well) {
      if (channels == Channels::bgra)
        for (std::uint32_t& pixel : picture.pixels)
          pixel = (pixel & 0xFF00FF00u) | (pixel & 0xFFu) << 16 | (pixel >> 16 & 0xFFu);
      try {
        recorder_->add(picture);
      } catch (const Error& error) {
        failure = error.message();
      }
    }
    lock.lock();
    if (!failure.empty()) failure_ = failure;
    if (spare_.size() < 2) spare_.push_back(std::move(picture));
    changed_.notify_all();
  }
  const bool keep = !cancelled_ && failure_.empty();
  lock.unlock();
  Message failure;
  try {
    if (keep) recorder_->finish();
  } catch (const Error& error) {
    failure = error.message();
  }
  lock.lock();
  if (!failure.empty()) failure_ = failure;
  done_ = true;
  changed_.notify_all();
}

}  // namespace perturb
