#include "app/edited/process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

void throw_not_started(const Message& what, int why) {
  throw Error("{} ({}). Close other programs and try again.", what, std::strerror(why));
}

SpawnedProcess::SpawnedProcess(const std::string& path, std::vector<std::string> arguments, std::array<int, 3> inputs,
                               const std::vector<std::string>& environment) {
  ProgramStart how{path, std::move(arguments), inputs, environment, true, true};
  sigfillset(&how.default_signals);
  if (const int failure = start(how)) throw_not_started("Cannot start the process of an edited kernel", failure);
}

bool read_all(int pipe, double seconds, const std::stop_token& stop, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    pollfd waiting{pipe, POLLIN, 0};
    if (stop.stop_requested()) throw Stopped();
    if (std::chrono::steady_clock::now() >= end) return false;
    if (poll(&waiting, 1, poll_milliseconds) <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    constexpr std::size_t max_text = std::size_t{1} << 20;
    if (text.size() < max_text) text.append(buffer, static_cast<std::size_t>(got));
  }
}

void remove_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  constexpr int max_tries = 100;
  for (int k = 0; k < max_tries; ++k) {
    std::filesystem::remove_all(folder, ignored);
    if (!std::filesystem::exists(folder, ignored)) return;
  }
}

void exit_with_connection(const std::string& folder) {
  std::thread([folder] {
    for (;;) {
      pollfd waiting{STDIN_FILENO, 0, 0};
      if (poll(&waiting, 1, -1) <= 0 || !(waiting.revents & (POLLHUP | POLLERR | POLLNVAL))) continue;
      if (!folder.empty()) remove_folder(folder);
      kill(0, SIGKILL);  // its group, which is its own (SpawnedProcess)
      _exit(0);
    }
  }).detach();
}

namespace {

// Threads are possible, other processes and programs are not. A limit on the number of processes would count all of the
// user's, and would not bind root. Without seccomp in the system, nothing is forbidden.
void forbid_processes() {
  constexpr auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  constexpr auto flags = static_cast<std::uint32_t>(offsetof(seccomp_data, args));
  constexpr std::uint32_t forbidden = SECCOMP_RET_ERRNO | EPERM, unknown = SECCOMP_RET_ERRNO | ENOSYS;
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number)};
  const auto answer = [&](long call, std::uint32_t with) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, with));
  };
#ifdef SYS_fork
  answer(SYS_fork, forbidden);
  answer(SYS_vfork, forbidden);
#endif
  answer(SYS_execve, forbidden);
  answer(SYS_execveat, forbidden);
  answer(SYS_clone3, unknown);  // its flags are out of reach; the C library then calls clone
  filter.insert(filter.end(),
                {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
                 BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0), BPF_STMT(BPF_RET | BPF_K, forbidden),
                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

}  // namespace

void limit_this_process() {
  constexpr rlim_t more = rlim_t{1} << 30;
  // Sanitizers have taken much already.
  unsigned long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  const rlim_t max_bytes = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  const struct rlimit memory { max_bytes, max_bytes };
  setrlimit(RLIMIT_DATA, &memory);
  forbid_processes();
}

}  // namespace perturb
