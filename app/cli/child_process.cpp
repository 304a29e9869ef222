#include "app/cli/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/run/interrupts.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void throw_not_started(const char* what, int why) {
  throw Error("{} ({}): close some programs.", what, std::strerror(why));
}

// A child process that writes to a pipe. The destructor kills it.
class Child {
 public:
  Child(const std::string& path, const std::vector<std::string>& arguments);
  ~Child();

  // Waits up to 100 ms for output and appends it to `text`. False: end of output.
  bool read(std::string& text);
  // Waits up to 10 ms for the exit; call after the end of the output.
  bool has_ended(int& status);

 private:
  ChildProcess process_;
  Descriptor pipe_;
};

Child::Child(const std::string& path, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_not_started("Cannot create a pipe", errno);
  pipe_ = Descriptor(ends[0]);
  const Descriptor output(ends[1]);
  ProgramStart how{path, {path}, {no_file, output.id(), same_file}};
  how.arguments.insert(how.arguments.end(), arguments.begin(), arguments.end());
  // A terminating signal ends the child at once: a library that hangs would not check a stop request.
  how.unblock_signals = true;
  for (const int signal : ending_signals) sigaddset(&how.default_signals, signal);
  if (const int failure = process_.start(how)) throw_not_started("Cannot start a process", failure);
}

Child::~Child() {
  pipe_ = Descriptor();
  if (!process_) return;
  process_.kill();
  // A process inside a driver's system call may exit late or never: it is then left to the system.
  int status = 0;
  for (const auto late = Clock::now() + std::chrono::seconds(2); Clock::now() < late;)
    if (has_ended(status)) return;
  process_.release();
}

bool Child::read(std::string& text) {
  char buffer[4096];
  pollfd waiting{pipe_.id(), POLLIN, 0};
  if (poll(&waiting, 1, 100) <= 0) return true;
  const ssize_t got = ::read(pipe_.id(), buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  text.append(buffer, static_cast<std::size_t>(got));
  return true;
}

bool Child::has_ended(int& status) {
  if (process_.has_ended(status)) return true;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return false;
}

}  // namespace

std::string output_of_program(const std::string& path, const std::vector<std::string>& arguments, double seconds,
                              const StopRequest* stop) {
  Child child(path, arguments);
  const auto start = Clock::now();
  const auto check_time = [&] {
    if (stop && stop->stop_requested()) throw Error("it was interrupted");
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      throw Error("it had not ended after {} s", format_number(seconds));
  };
  std::string text;
  do check_time();
  while (child.read(text));
  int status = 0;
  while (!child.has_ended(status)) check_time();
  if (WIFSIGNALED(status))
    throw Error("its process was ended by signal {} ({}): a driver may be broken. Reinstall it.", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(text.empty() ? Message("its process ended with exit code {}", WEXITSTATUS(status))
                             : Message::value(text));
  return text;
}

std::string result_of_task(const ProcessTask& task, const std::vector<std::string>& arguments, double seconds,
                           const StopRequest* stop) {
  std::vector<std::string> with_name = {task.name};
  with_name.insert(with_name.end(), arguments.begin(), arguments.end());
  return output_of_program("/proc/self/exe", with_name, seconds, stop);
}

void serve_text_task(TextTask task, int argc, char** argv) {
  // Ends this process when its parent ends. A parent that has already ended does not read the result.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  pollfd parent{output, 0, 0};
  if (output < 0 || (poll(&parent, 1, 0) > 0 && (parent.revents & POLLERR))) _exit(1);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // output printed by libraries is not part of the result
  int code = 0;
  std::string text;
  try {
    text = task({argv + 2, argv + argc});
  } catch (const std::exception& error) {
    text = error.what();
    code = 1;
  }
  if (!write_all(output, text)) code = 1;
  // Skips the destructors of libraries, which may hang too.
  _exit(code);
}

}  // namespace perturb
