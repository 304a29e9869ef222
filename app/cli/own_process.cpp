#include "app/cli/own_process.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

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

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

[[noreturn]] void look_and_tell(const std::function<std::string()>& look, int file) {
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

std::string told_by_own_process(const std::function<std::string()>& look) {
  int ends[2];
  if (pipe(ends) != 0)
    throw Error(std::string("No pipe could be made (") + std::strerror(errno) + "): close some programs.");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    look_and_tell(look, ends[1]);
  }
  const int why = errno;
  close(ends[1]);
  const std::string text = child > 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (child < 0)
    throw Error(std::string("No process could be started (") + std::strerror(why) + "): close some programs.");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw Error("the look itself died of signal " + std::to_string(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + "): a driver may be broken; install it again.");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error(text);
  return text;
}

}  // namespace perturb
