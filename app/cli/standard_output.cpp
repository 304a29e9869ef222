#include "app/cli/standard_output.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iostream>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {

PrintResult print_text(std::string_view text, StopRequest& stop) {
  constexpr int poll_ms = 100;  // a signal may arrive just before the wait begins
  std::cout.flush();
  struct stat info {};
  const bool waits = fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode);
  while (!text.empty()) {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    const int ready = poll(&output, 1, poll_ms);
    if (ready <= 0) {
      if (stop.stop_requested()) return PrintResult::cancelled;
      continue;
    }
    // A pipe that is ready accepts this much without blocking.
    const std::size_t part = waits ? std::min<std::size_t>(text.size(), PIPE_BUF) : text.size();
    const ssize_t written = write(STDOUT_FILENO, text.data(), part);
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0 && errno == EPIPE) {
      stop.request_stop();
      return PrintResult::reader_closed;
    }
    throw Error(std::string("The text could not be printed: ") + std::strerror(written < 0 ? errno : ENOSPC) +
                ". Print it to a file on a disk with room.");
  }
  return PrintResult::all;
}

}  // namespace perturb
