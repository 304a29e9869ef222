#include "app/io/image/ffmpeg_process.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/child_files.h"
#include "cuda/core/backend/check.h"

extern char** environ;

namespace perturb {

namespace {

// Processor time of all threads of the process, in clock ticks.
unsigned long long processor_time_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  // Fields 14 and 15. The name in field 2 may contain spaces.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int k = 3; k < 14 && fields >> field; ++k) {
  }
  unsigned long long user = 0, system = 0;
  fields >> user >> system;
  return user + system;
}

}  // namespace

FfmpegProcess::FfmpegProcess(const std::vector<std::string>& arguments, const StopRequest* stop,
                             FfmpegTimeouts timeouts)
    : stop_(stop), timeouts_(timeouts), error_output_(std::tmpfile()) {
  // If the child dies, a write must fail instead of ending this program.
  signal(SIGPIPE, SIG_IGN);
  const auto fail = [&](const Message& message) {
    if (error_output_) std::fclose(error_output_);
    throw Error(message);
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail({"Cannot create a pipe to ffmpeg: {}.", std::strerror(errno)});
  pipe_ = ends[1];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);  // this end only: the waiting thread checks the child from time to time
#if defined(F_SETPIPE_SZ)
  fcntl(pipe_, F_SETPIPE_SZ, 1 << 20);  // if this size is allowed, an image takes fewer writes
#endif

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (error_output_) posix_spawn_file_actions_adddup2(&actions, fileno(error_output_), STDERR_FILENO);
  add_close_files(actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);

  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int failure = posix_spawn(&child_, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  note_activity();
  if (failure == 0) return;
  close(std::exchange(pipe_, -1));
  child_ = 0;
  fail({"Cannot start {}: {}.", arguments[0], std::strerror(failure)});
}

FfmpegProcess::~FfmpegProcess() {
  kill_it();
  if (error_output_) std::fclose(error_output_);
}

void FfmpegProcess::kill_it() {
  if (pipe_ >= 0) close(std::exchange(pipe_, -1));
  if (child_ <= 0) return;
  kill(-child_, SIGKILL);  // including its own children
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
}

bool FfmpegProcess::is_stuck() {
  const unsigned long long used = processor_time_of(child_);
  if (used != processor_time_) processor_time_ = used, note_activity();
  const double silent = std::chrono::duration<double>(Clock::now() - last_activity_).count();
  return silent > (stop_ && stop_->stop_requested() ? timeouts_.when_stopped : timeouts_.ordinary);
}

FfmpegProcess::Outcome FfmpegProcess::feed(const void* bytes, std::size_t size) {
  const char* data = static_cast<const char*>(bytes);
  note_activity();  // it was idle since the last image
  while (size > 0) {
    const ssize_t written = write(pipe_, data, size);
    if (written > 0) {
      data += written, size -= static_cast<std::size_t>(written);
      note_activity();
      continue;
    }
    if (written == 0 || (errno != EAGAIN && errno != EINTR)) {
      // The child has closed its end of the pipe, so it is ending or has ended.
      return finish() == Outcome::stuck ? Outcome::stuck : Outcome::failed;
    }
    pollfd end{pipe_, POLLOUT, 0};
    poll(&end, 1, 50);
    if (is_stuck()) {
      kill_it();
      return Outcome::stuck;
    }
  }
  return Outcome::well;
}

FfmpegProcess::Outcome FfmpegProcess::finish() {
  if (pipe_ >= 0) close(std::exchange(pipe_, -1));
  if (child_ <= 0) return Outcome::failed;
  note_activity();
  for (std::chrono::milliseconds rest(1);;) {
    int status = 0;
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    if (ended == child_) {
      child_ = 0;
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Outcome::well : Outcome::failed;
    }
    if (ended < 0 && errno != EINTR) {
      child_ = 0;
      return Outcome::failed;
    }
    if (is_stuck()) {
      kill_it();
      return Outcome::stuck;
    }
    std::this_thread::sleep_for(rest);
    if (rest.count() < 50) rest *= 2;
  }
}

std::string FfmpegProcess::error_text() const {
  std::string said;
  if (!error_output_) return said;
  std::rewind(error_output_);
  char line[400];
  if (std::fgets(line, sizeof line, error_output_)) said = line;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

}  // namespace perturb
