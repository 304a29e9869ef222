#include "app/io/image/ffmpeg_process.h"

#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {

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
  const Descriptor input(ends[0]);
  pipe_ = Descriptor(ends[1]);
  fcntl(pipe_.id(), F_SETFL, O_NONBLOCK);  // this end only: the waiting thread checks the child from time to time
#if defined(F_SETPIPE_SZ)
  fcntl(pipe_.id(), F_SETPIPE_SZ, 1 << 20);  // if this size is allowed, an image takes fewer writes
#endif

  const int errors = error_output_ ? fileno(error_output_) : same_file;
  ProgramStart how{arguments[0], arguments, {input.id(), no_file, errors}};
  how.own_group = true;
  sigaddset(&how.default_signals, SIGPIPE);
  const int failure = child_.start(how);
  note_activity();
  if (failure != 0) fail({"Cannot start {}: {}.", arguments[0], std::strerror(failure)});
}

FfmpegProcess::~FfmpegProcess() {
  kill_it();
  if (error_output_) std::fclose(error_output_);
}

void FfmpegProcess::kill_it() {
  pipe_ = Descriptor();
  child_.kill_and_wait();  // including its own children
}

bool FfmpegProcess::is_stuck() {
  const double used = child_.processor_seconds();
  if (used != processor_seconds_) {
    processor_seconds_ = used;
    note_activity();
  }
  const double silent = std::chrono::duration<double>(Clock::now() - last_activity_).count();
  return silent > (stop_ && stop_->stop_requested() ? timeouts_.when_stopped : timeouts_.ordinary);
}

FfmpegProcess::Outcome FfmpegProcess::feed(const void* bytes, std::size_t size) {
  const char* data = static_cast<const char*>(bytes);
  note_activity();  // it was idle since the last image
  while (size > 0) {
    const ssize_t written = write(pipe_.id(), data, size);
    if (written > 0) {
      data += written;
      size -= static_cast<std::size_t>(written);
      note_activity();
      continue;
    }
    if (written == 0 || (errno != EAGAIN && errno != EINTR)) {
      // The child has closed its end of the pipe, so it is ending or has ended.
      return finish() == Outcome::stuck ? Outcome::stuck : Outcome::failed;
    }
    pollfd end{pipe_.id(), POLLOUT, 0};
    poll(&end, 1, 50);
    if (is_stuck()) {
      kill_it();
      return Outcome::stuck;
    }
  }
  return Outcome::well;
}

FfmpegProcess::Outcome FfmpegProcess::finish() {
  pipe_ = Descriptor();
  if (!child_) return Outcome::failed;
  note_activity();
  for (std::chrono::milliseconds rest(1);;) {
    int status = -1;  // a failure
    if (child_.has_ended(status))
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Outcome::well : Outcome::failed;
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
