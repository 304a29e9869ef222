#include "app/io/files/line_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"

namespace perturb {

LineFile::LineFile(const std::string& path) : path_(path) {
  require_writable(path);
  check_output_fault(path);
  file_ = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666));
  struct stat info {};
  if (!file_ || fstat(file_.id(), &info) != 0) throw InputError(cannot_write(path, errno));
  if (!S_ISREG(info.st_mode))
    throw InputError("\"{}\" is not a regular file, and lines are added to one. Name another file.", path);
  if (flock(file_.id(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError("\"{}\" is in use by another program. Wait for its end, or name another file.", path);
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = pread(file_.id(), text.data() + got, text.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw InputError("Cannot read \"{}\" ({}). Check the file, or name another one.", path, std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines_.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  partial_line_ = text.substr(begin);
}

void LineFile::cut_partial_line() {
  if (partial_line_.empty()) return;
  check_output_fault(path_);
  const off_t end = lseek(file_.id(), 0, SEEK_END);
  if (end < 0 || ftruncate(file_.id(), end - static_cast<off_t>(partial_line_.size())) != 0)
    throw Error(cannot_write(path_, errno));
  partial_line_.clear();
}

void LineFile::add(const std::string& line) {
  check_output_fault(path_);
  const off_t before = lseek(file_.id(), 0, SEEK_END);
  const std::string text = line + '\n';
  ssize_t written = -1;
  do {
    written = write(file_.id(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) return;
  const int code = written < 0 ? errno : ENOSPC;
  if (written > 0) (void)!ftruncate(file_.id(), before);  // else the next start cuts it off
  throw Error(cannot_write(path_, code));
}

}  // namespace perturb
