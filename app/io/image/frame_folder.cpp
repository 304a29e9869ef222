#include "app/io/image/frame_folder.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "app/io/image/png_codec.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

constexpr int max_threads = 8;  // more threads would write faster than any run draws

constexpr std::size_t max_waiting_bytes = std::size_t{256} << 20;

// The run has priority: its threads wait for each other, so all of them wait if an encoder keeps one from its core.
void take_low_priority() { setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 10); }

void write_bytes(const std::string& path, const std::vector<unsigned char>& bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  int error_code = file < 0 ? errno : 0;
  for (std::size_t done = 0; done < bytes.size() && error_code == 0;) {
    const ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written > 0)
      done += static_cast<std::size_t>(written);
    else if (written == 0 || errno != EINTR)
      error_code = written == 0 ? ENOSPC : errno;
  }
  if (file >= 0 && close(file) != 0 && error_code == 0) error_code = errno;
  if (error_code != 0)
    throw Error("Cannot write the image ({}). Free some space, or choose another folder.", std::strerror(error_code));
}

}  // namespace

FrameFolder::FrameFolder(const std::string& folder, int threads) : Recorder(folder) {
  std::error_code failure;
  fs::create_directory(folder, failure);
  if (failure) throw Error("Cannot create the folder \"{}\": {}.", folder, Message(failure.message()));
  const int wanted = threads > 0 ? threads : std::min(CpuThreads::available(), max_threads);
  // Blocks all signals, so that other threads handle them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (int k = 0; k < wanted; ++k) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // continues with the threads that were started
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

FrameFolder::~FrameFolder() { end_threads(); }

void FrameFolder::write(const Frame& frame) const {
  char name[32];
  std::snprintf(name, sizeof name, "%06lld.png", static_cast<long long>(frame.number));
  const std::string path = (fs::path(destination()) / name).string();
  try {
    const std::vector<unsigned char> bytes = encode_png(frame.picture, PngEffort::film);
    replace_file(path, [&](const std::string& temporary) { write_bytes(temporary, bytes); });
  } catch (const std::exception& error) {
    throw Error("Cannot record \"{}\": {}", path, message_of(error));
  }
}

std::size_t FrameFolder::room_for(const Picture& picture) const {
  const std::size_t bytes = std::max<std::size_t>(1, picture.pixels.size() * sizeof(std::uint32_t));
  return std::clamp<std::size_t>(max_waiting_bytes / bytes, 1, 2 * threads_.size() + 1);
}

void FrameFolder::work() {
  take_low_priority();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Frame frame = std::move(waiting_.front());
    waiting_.pop_front();
    ++at_work_;
    lock.unlock();
    Message failure;
    try {
      write(frame);
    } catch (const std::exception& error) {
      failure = message_of(error);
    }
    lock.lock();
    --at_work_;
    if (!failure.empty()) {
      if (failed_ < 0 || frame.number < failed_) {
        failed_ = frame.number;
        failure_ = failure;
      }
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

void FrameFolder::throw_failure(std::unique_lock<std::mutex>& lock) {
  if (failed_ < 0) return;
  // A frame with a lower number may still fail.
  changed_.wait(lock, [&] { return at_work_ == 0; });
  throw Error(failure_);
}

void FrameFolder::add(const Picture& picture) {
  if (threads_.empty()) {
    write({count_++, picture});
    return;
  }
  std::unique_lock lock(mutex_);
  const std::size_t room = room_for(picture);
  changed_.wait(lock, [&] { return failed_ >= 0 || waiting_.size() + at_work_ < room; });
  throw_failure(lock);
  waiting_.push_back({count_++, picture});
  changed_.notify_all();
}

void FrameFolder::end_threads() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void FrameFolder::finish() {
  end_threads();
  std::unique_lock lock(mutex_);
  throw_failure(lock);
  if (count_ == 0)
    throw Error("No image in \"{}\" yet. Take more steps, or record more often (--steps-per-frame).", destination());
}

}  // namespace perturb
