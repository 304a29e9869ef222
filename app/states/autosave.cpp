#include "app/states/autosave.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/files/output.h"
#include "app/files/start_thread.h"
#include "app/files/text_file.h"
#include "app/states/state_image.h"
#include "cuda/core/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = "lock";
constexpr const char* state_name = "state.h5";
constexpr const char* script_name = "script.toml";
constexpr const char* words_name = "words";
constexpr std::size_t longest_words = 4096;

// The lock of a folder, where no living program holds it; -1: one does, or there is none to be had.
int take_lock(const fs::path& folder) {
  const int file = open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

void write_whole(const fs::path& path, const std::string& text) {
  replace_file(path.string(), std::as_bytes(std::span(text)));
}

}  // namespace

Autosave::Autosave(const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    throw Error("The run cannot be kept safe in \"" + folder + "\": " + failure.message() + ". Nothing is kept.");
  fs::file_time_type newest = fs::file_time_type::min();
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (!entry.is_directory(failure)) continue;
    const int lock = take_lock(entry.path());
    if (lock < 0) continue;  // at work
    const fs::path state = entry.path() / state_name;
    const fs::file_time_type time = fs::last_write_time(state, failure);
    std::error_code ignored;
    if (!failure && time > newest) {
      if (cut_off_) fs::remove_all(cut_off_->folder, ignored);
      newest = time;
      CutOffSession found{entry.path().string(), state.string(), "", ""};
      if (fs::exists(entry.path() / script_name, ignored)) found.script = (entry.path() / script_name).string();
      try {
        found.words = read_input_file((entry.path() / words_name).string(), "note of a session", longest_words);
      } catch (const Error&) {
        found.words = "a run";
      }
      cut_off_ = std::move(found);
    } else {
      fs::remove_all(entry.path(), ignored);
    }
    close(lock);
  }
  own_ = (fs::path(folder) / std::to_string(getpid())).string();
  for (int k = 0; fs::exists(own_, failure); ++k)
    own_ = (fs::path(folder) / (std::to_string(getpid()) + "-" + std::to_string(k))).string();
  if (!fs::create_directory(own_, failure) || (lock_ = take_lock(own_)) < 0)
    throw Error("The run cannot be kept safe in \"" + folder +
                "\": " + (failure ? failure.message() : std::string(std::strerror(errno))) + ". Nothing is kept.");
  thread_ = start_thread([this] { work(); });
}

Autosave::~Autosave() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::error_code ignored;
  fs::remove_all(own_, ignored);
  if (lock_ >= 0) close(lock_);
}

void Autosave::forget_cut_off() {
  std::error_code ignored;
  if (cut_off_) fs::remove_all(cut_off_->folder, ignored);
  cut_off_.reset();
}

bool Autosave::keep(State state, std::string script, std::string words) {
  {
    const std::lock_guard lock(mutex_);
    if (job_ || busy_) return false;
    job_ = Job{std::move(state), std::move(script), std::move(words)};
  }
  changed_.notify_all();
  return true;
}

std::string Autosave::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, {});
}

void Autosave::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_ && !busy_; });
}

void Autosave::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || job_; });
    if (closing_) return;
    const Job job = std::move(*job_);
    job_.reset();
    busy_ = true;
    lock.unlock();
    std::string failure;
    try {
      const fs::path own = own_;
      replace_file((own / state_name).string(), StateImage(job.state).bytes());
      write_whole(own / script_name, job.script);
      write_whole(own / words_name, job.words);
    } catch (const Error& error) {
      failure = std::string(error.what()) + " The run is not kept safe until that is mended.";
    }
    lock.lock();
    busy_ = false;
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace perturb
