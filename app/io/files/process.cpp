#include "app/io/files/process.h"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char** environ;

namespace perturb {

namespace {

constexpr int first_other = STDERR_FILENO + 1, max_files = 4096;

// Upper bound on descriptors, for systems without a call that closes all of them.
int end_of_files() {
  const long max_open = sysconf(_SC_OPEN_MAX);
  return max_open > 0 && max_open < max_files ? static_cast<int>(max_open) : max_files;
}

// Closes all files except the standard ones. Must be the last action.
void add_close_files(posix_spawn_file_actions_t& actions) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, first_other);
#else
  // Closing a descriptor that is not open is not an error in these actions.
  for (int file = first_other; file < end_of_files(); ++file) posix_spawn_file_actions_addclose(&actions, file);
#endif
}

// The same between fork and exec; async-signal-safe.
void close_files_in_child() {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, static_cast<unsigned>(first_other), ~0u, 0u) == 0) return;
#endif
  for (int file = first_other; file < end_of_files(); ++file) close(file);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int ChildProcess::start(const ProgramStart& how) {
  // Above the standard ones, which are replaced one after the other.
  std::array<Descriptor, 3> above;
  for (std::size_t k = 0; k < 3; ++k) {
    if (how.files[k] < 0) continue;
    above[k] = Descriptor(fcntl(how.files[k], F_DUPFD_CLOEXEC, first_other));
    if (!above[k]) return errno;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int k = 0; k < 3; ++k) {
    const Descriptor& file = above[static_cast<std::size_t>(k)];
    if (file) posix_spawn_file_actions_adddup2(&actions, file.id(), k);
    if (how.files[static_cast<std::size_t>(k)] == no_file)
      posix_spawn_file_actions_addopen(&actions, k, "/dev/null", k == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
  }
  add_close_files(actions);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &how.default_signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | (how.unblock_signals ? POSIX_SPAWN_SETSIGMASK : 0) |
                                      (how.own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  std::vector<char*> arguments = pointers_to(how.arguments), variables = pointers_to(how.environment);
  // Spawns the program instead of forking: a fork copies the locks of this process's threads, but not the threads.
  const int failure = posix_spawn(&id_, how.path.c_str(), &actions, &attributes, arguments.data(),
                                  how.environment.empty() ? environ : variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  own_group_ = how.own_group;
  if (failure != 0) id_ = 0;
  return failure;
}

void ChildProcess::kill() const {
  if (id_ > 0) ::kill(own_group_ ? -id_ : id_, SIGKILL);
}

int ChildProcess::wait() {
  int status = 0;
  if (const pid_t id = std::exchange(id_, 0); id > 0) {
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return status;
}

int ChildProcess::kill_and_wait() {
  kill();
  return wait();
}

bool ChildProcess::has_ended(int& status) {
  const pid_t ended = waitpid(id_, &status, WNOHANG);
  if (ended != id_ && !(ended < 0 && errno == ECHILD)) return false;
  id_ = 0;
  return true;
}

double ChildProcess::processor_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (id_ <= 0 || clock_getcpuclockid(id_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool start_detached(const std::vector<std::string>& arguments) {
  const std::vector<char*> words = pointers_to(arguments);
  // Forks twice, so that the program is not a child of this process when it ends. Between fork and exec only
  // async-signal-safe calls are allowed.
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      setsid();
      const int nowhere = open("/dev/null", O_RDWR);
      for (const int number : {0, 1, 2})
        if (nowhere >= 0) dup2(nowhere, number);
      close_files_in_child();
      execv(words[0], words.data());
      _exit(127);
    }
    _exit(0);
  }
  if (child < 0) return false;
  int ignored = 0;
  waitpid(child, &ignored, 0);
  return true;
}

std::string find_program(const std::string& name) {
  const char* paths = std::getenv("PATH");
  std::string_view rest = paths ? paths : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return "";
}

void run_process_task(int argc, char** argv, std::initializer_list<ProcessTask> tasks) {
  for (const ProcessTask& task : tasks)
    if (argc >= 2 + task.min_arguments && std::string_view(argv[1]) == task.name) task.run(argc, argv);
}

}  // namespace perturb
