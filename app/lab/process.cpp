#include "app/lab/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include "app/io/files/child_files.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"

extern char** environ;

namespace perturb {

void throw_not_started(const Message& what, int why) {
  throw Error("{} ({}). Close other programs and try again.", what, std::strerror(why));
}

SpawnedProcess::SpawnedProcess(const std::string& path, std::vector<std::string> arguments, std::array<int, 3> inputs,
                               const std::vector<std::string>& environment) {
  // Above the standard ones, which are replaced one after the other.
  std::vector<Descriptor> above;
  for (const int input : inputs) above.emplace_back(fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int k = 0; k < 3; ++k) posix_spawn_file_actions_adddup2(&files, above[static_cast<std::size_t>(k)].id(), k);
  add_close_files(files);
  sigset_t none, all;
  sigemptyset(&none), sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // Of its own group: Ctrl+C in the terminal is for the program, and all parts of a compiler are killed together.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words, variables;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);
  const int failure = posix_spawn(&id_, path.c_str(), &files, &attributes, words.data(),
                                  environment.empty() ? environ : variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    id_ = 0;
    throw_not_started("Cannot start the process of an edited kernel", failure);
  }
}

int SpawnedProcess::kill_and_wait() {
  int status = 0;
  if (const pid_t id = std::exchange(id_, 0); id > 0) {
    kill(-id, SIGKILL);
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return status;
}

int SpawnedProcess::wait() {
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = 0;
  return status;
}

bool read_all(int pipe, double seconds, const std::stop_token& stop, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    pollfd waiting{pipe, POLLIN, 0};
    if (stop.stop_requested()) throw Stopped();
    if (std::chrono::steady_clock::now() >= end) return false;
    if (poll(&waiting, 1, look_milliseconds) <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    constexpr std::size_t most_text = std::size_t{1} << 20;
    if (text.size() < most_text) text.append(buffer, static_cast<std::size_t>(got));
  }
}

void exit_with_connection() {
  std::thread([] {
    for (;;) {
      pollfd waiting{STDIN_FILENO, 0, 0};
      if (poll(&waiting, 1, -1) > 0 && (waiting.revents & (POLLHUP | POLLERR | POLLNVAL))) _exit(0);
    }
  }).detach();
}

}  // namespace perturb
