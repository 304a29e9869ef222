#include "app/io/state/reader_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/child_files.h"
#include "app/io/state/state_reader.h"
#include "cuda/core/backend/check.h"

extern char** environ;

namespace perturb {

namespace {

// In milliseconds: a disk may have to spin up. The reader's own limits are in processor time and much lower.
constexpr int max_silence_ms = 60000;

// A duplicated descriptor, closed by the destructor. It is above the three standard ones, which are replaced in the
// child.
class Descriptor {
 public:
  explicit Descriptor(int from) : id_(from < 0 ? -1 : fcntl(from, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {}
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int id() const { return id_; }
  int release() { return std::exchange(id_, -1); }

 private:
  int id_;
};

[[noreturn]] void throw_no_process(int why) {
  throw Error(std::string("the process that reads it could not be started (") + std::strerror(why) +
              "): close some programs");
}

}  // namespace

ReaderProcess::ReaderProcess(int file) {
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) throw_no_process(errno);
  Descriptor input(file), output(made[1]), own(made[0]);
  const int why = errno;
  close(made[0]), close(made[1]);
  if (input.id() < 0 || output.id() < 0 || own.id() < 0) throw_no_process(why);
#ifdef F_SETPIPE_SZ
  (void)!fcntl(own.id(), F_SETPIPE_SZ, 1 << 20);  // faster; may be forbidden
#endif

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.id(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.id(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  add_close_files(actions);
  char name[] = "perturb";
  std::string word = state_reader_argument;
  char* arguments[] = {name, word.data(), nullptr};
  // Starts the program again instead of forking: a copy of this process would have the locks of its threads but not the
  // threads.
  const int failure = posix_spawn(&child_, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    child_ = 0;
    throw_no_process(failure);
  }
  pipe_ = own.release();
}

ReaderProcess::~ReaderProcess() {
  if (pipe_ >= 0) close(pipe_);
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ReaderProcess::read(std::span<std::byte> into) {
  while (!into.empty()) {
    struct pollfd waited {
      pipe_, POLLIN, 0
    };
    const int ready = poll(&waited, 1, max_silence_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) silent_ = true;
    if (ready <= 0) return false;
    const ssize_t n = ::read(pipe_, into.data(), into.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

std::string ReaderProcess::ending() {
  if (silent_) return "nothing came from the disk for a minute";
  int status = 0;
  const pid_t child = std::exchange(child_, 0);
  kill(child, SIGKILL);  // no effect if it has ended
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "HDF5 broke off";
  if (!WIFSIGNALED(status)) return "HDF5 broke off";
  if (WTERMSIG(status) == SIGPROF) return "HDF5 came to no end with it";
  return std::string("HDF5 broke off: ") + strsignal(WTERMSIG(status));
}

}  // namespace perturb
