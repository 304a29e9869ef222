#include "app/io/state/autosave.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "app/io/files/start_thread.h"
#include "app/io/files/text_file.h"
#include "app/io/state/portable_state.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = "lock";
constexpr const char* state_name = "state.perturb";
constexpr const char* former_state_name = "state.h5";  // loading it names the script that converts it
constexpr const char* script_name = "script.toml";
constexpr const char* description_name = "words";
constexpr const char* closed_name = "closed";
constexpr std::size_t max_description_bytes = 4096;

// Locks a folder. Returns the descriptor of the lock; -1, with errno, if a running program holds it or locking fails.
int take_lock(const fs::path& folder) {
  const int file = open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int failure = errno;
  if (file >= 0) close(file);
  errno = failure;
  return -1;
}

void write_whole(const fs::path& path, const std::string& text) {
  replace_file(path.string(), std::as_bytes(std::span(text)));
}

// A description as a file: a line with the format, and one for each argument.
std::string text_of(const Message& description) {
  std::string text = description.text();
  for (const Message& argument : description.arguments()) text += "\n" + argument.english();
  return text;
}

// An older program wrote a single line with the whole description.
Message description_in(const std::string& text) {
  std::istringstream lines(text);
  std::string format;
  std::getline(lines, format);
  std::vector<Message> arguments;
  for (std::string line; std::getline(lines, line);) arguments.push_back(Message::value(line));
  return arguments.empty() ? Message::value(format) : Message::with_arguments(format, std::move(arguments));
}

}  // namespace

Message cannot_autosave(const std::string& folder, int code) {
  Message remedy = "Set XDG_STATE_HOME to another folder.";
  if (code == ENOSPC || code == EDQUOT)
    remedy = "Free some space on its disk.";
  else if (code == EACCES || code == EPERM || code == EROFS)
    remedy = "Permit writing there, or set XDG_STATE_HOME to another folder.";
  else if (code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS)
    remedy = "Its disk cannot lock files. Set XDG_STATE_HOME to a folder on a local disk.";
  return Message("Autosave is off: cannot use the folder \"{}\" ({}). {}", folder, std::strerror(code), remedy);
}

Autosave::Autosave(const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw Error(cannot_autosave(folder, failure.value()));
  find_sessions(folder);
  offer_next();
  own_folder_ = (fs::path(folder) / std::to_string(getpid())).string();
  for (int k = 0; fs::exists(own_folder_, failure); ++k)
    own_folder_ = (fs::path(folder) / (std::to_string(getpid()) + "-" + std::to_string(k))).string();
  if (!fs::create_directory(own_folder_, failure))
    throw Error(cannot_autosave(folder, failure ? failure.value() : EEXIST));
  if ((lock_ = take_lock(own_folder_)) < 0) {
    const Error error(cannot_autosave(folder, errno));
    fs::remove_all(own_folder_, failure);
    throw error;
  }
  thread_ = start_thread([this] { work(); });
}

void Autosave::find_sessions(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, InterruptedSession>> found;
  std::error_code failure, ignored;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (!entry->is_directory(ignored)) continue;
    const int lock = take_lock(entry->path());
    if (lock < 0) continue;  // in use, or offered by another program
    fs::path state = entry->path() / state_name;
    if (!fs::exists(state, ignored)) state = entry->path() / former_state_name;
    std::error_code missing;
    const fs::file_time_type time = fs::last_write_time(state, missing);
    if (missing) {
      fs::remove_all(entry->path(), ignored);  // the session ended before anything was saved
    } else {
      using Clock = std::chrono::system_clock;
      const auto saved = std::chrono::time_point_cast<Clock::duration>(std::chrono::file_clock::to_sys(time));
      InterruptedSession session{entry->path().string(), state.string(), "", "", false, Clock::to_time_t(saved)};
      if (fs::exists(entry->path() / script_name, ignored)) session.script = (entry->path() / script_name).string();
      session.was_closed = fs::exists(entry->path() / closed_name, ignored);
      try {
        session.description = description_in(
            read_input_file((entry->path() / description_name).string(), "note of a session", max_description_bytes));
      } catch (const Error&) {
        session.description = "a run";
      }
      found.emplace_back(time, std::move(session));
    }
    close(lock);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  bool has_closed = false;
  for (auto& [time, session] : found) {
    const bool is_old = waiting_.size() >= max_sessions || (session.was_closed && has_closed);
    has_closed = has_closed || session.was_closed;
    if (!is_old) {
      waiting_.push_back(std::move(session));
    } else if (const int lock = take_lock(session.folder); lock >= 0) {
      fs::remove_all(session.folder, ignored);
      close(lock);
    }
  }
}

void Autosave::offer_next() {
  interrupted_.reset();
  while (!waiting_.empty() && !interrupted_) {
    InterruptedSession next = std::move(waiting_.front());
    waiting_.pop_front();
    std::error_code ignored;
    if (!fs::exists(next.state, ignored)) continue;  // another program has resumed it
    interrupted_lock_ = take_lock(next.folder);
    if (interrupted_lock_ >= 0) interrupted_ = std::move(next);
  }
}

Autosave::~Autosave() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::error_code ignored;
  if (!keep_folder_) fs::remove_all(own_folder_, ignored);
  for (const int lock : {lock_, interrupted_lock_, taken_over_lock_})
    if (lock >= 0) close(lock);
}

void Autosave::discard_interrupted() {
  std::error_code ignored;
  if (interrupted_) fs::remove_all(interrupted_->folder, ignored);
  if (interrupted_lock_ >= 0) close(std::exchange(interrupted_lock_, -1));
  offer_next();
}

void Autosave::take_over_interrupted() {
  if (!interrupted_) return;
  const std::lock_guard lock(mutex_);
  taken_over_ = interrupted_->folder;
  taken_over_lock_ = std::exchange(interrupted_lock_, -1);
  interrupted_.reset();
}

bool Autosave::keep(State state, ScriptFiles script, Message description) {
  {
    const std::lock_guard lock(mutex_);
    if (job_ || busy_) return false;
    job_ = Job{std::move(state), std::move(script), std::move(description)};
  }
  changed_.notify_all();
  return true;
}

Message Autosave::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, {});
}

void Autosave::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_ && !busy_; });
}

void Autosave::write(const State& state, const ScriptFiles& script, const Message& description) {
  const fs::path own = own_folder_;
  replace_file_in_pieces((own / state_name).string(), [&state](const WriteBytes& write_bytes) {
    write_portable_state(state, state.row_reader(), write_bytes);
  });
  // The start of the run is large and does not change, so it is written only once.
  std::map<std::string, SideFile> beside;
  for (const SideFile& file : script.beside) {
    const auto before = written_.find(file.name);
    if (before == written_.end() || before->second.content != file.content) write_side_file(file, own.string());
    beside[file.name] = file;
  }
  write_whole(own / script_name, script.text);
  write_whole(own / description_name, text_of(description));
  std::error_code ignored;
  for (const auto& [name, file] : written_)
    if (!beside.count(name)) fs::remove(own / name, ignored);
  written_ = std::move(beside);
}

void Autosave::save_for_next_start(const State& state, const ScriptFiles& script, const Message& description) {
  finish();
  write(state, script, description);
  write_whole(fs::path(own_folder_) / closed_name, "");
  keep_folder_ = true;
  std::error_code ignored;
  if (!taken_over_.empty()) fs::remove_all(taken_over_, ignored);
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
    Message failure;
    try {
      write(job.state, job.script, job.description);
    } catch (const Error& error) {
      failure = error.message() + "Autosave is paused until this is fixed.";
    }
    lock.lock();
    if (failure.empty() && !taken_over_.empty()) {
      std::error_code ignored;
      fs::remove_all(std::exchange(taken_over_, {}), ignored);
      close(std::exchange(taken_over_lock_, -1));
    }
    busy_ = false;
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace perturb
