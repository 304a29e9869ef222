#include "app/cli/own_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/run/interrupts.h"
#include "cuda/core/check.h"

namespace perturb {

namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Until the other end closes; `goes_on` is asked several times a second, and ends it.
std::string read_all(int file, const std::function<bool()>& goes_on) {
  constexpr int between_questions = 100;  // milliseconds
  std::string text;
  char buffer[4096];
  while (goes_on()) {
    pollfd waiting{file, POLLIN, 0};
    if (poll(&waiting, 1, between_questions) <= 0) continue;
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

[[noreturn]] void look_and_tell(const std::function<std::string()>& look, int file) {
  // What ends the program ends its copy at once, for a library that hangs would not see a request.
  for (const int signal : ending_signals) std::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 0;
  std::string text;
  try {
    text = look();
  } catch (const std::exception& error) {
    text = error.what(), code = 1;
  }
  if (!write_all(file, text)) code = 1;
  // Without what runs at an ordinary end: buffers and destructors are the parent's to empty and call.
  _exit(code);
}

}  // namespace

std::string told_by_own_process(const std::function<std::string()>& look, double seconds, const StopRequest* stop) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(std::string("No pipe could be made (") + std::strerror(errno) + "): close some programs.");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    look_and_tell(look, ends[1]);
  }
  const int why = errno;
  close(ends[1]);
  const auto start = std::chrono::steady_clock::now();
  std::string late;
  const auto goes_on = [&] {
    if (stop && stop->asked()) late = "it was interrupted";
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) late = "it hangs";
    if (!late.empty()) kill(child, SIGKILL);
    return late.empty();
  };
  const std::string text = child > 0 ? read_all(ends[0], goes_on) : "";
  close(ends[0]);
  if (child < 0)
    throw Error(std::string("No process could be started (") + std::strerror(why) + "): close some programs.");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!late.empty()) throw Error(late);
  if (WIFSIGNALED(status))
    throw Error("the look itself died of signal " + std::to_string(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + "): a driver may be broken; install it again.");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error(text);
  return text;
}

}  // namespace perturb
