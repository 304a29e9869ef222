#include "app/io/files/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/files/unicode.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

// "preset file "tank.toml""
Message named_file(const std::string& what, const std::string& path) {
  return Message::with_arguments(what + " \"{}\"", {Message::value(path)});
}

}  // namespace

std::string read_input_file(const std::string& path, const std::string& what, std::size_t max_bytes) {
  const Message name = named_file(what, path);
  // Does not wait for the writer of a pipe. The type is checked on the open file.
  const OpenFile file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file < 0) {
    const int why = errno;
    if (why == ENOENT || why == ENOTDIR)
      throw InputError("Cannot open the {} ({}). Check its name.", name, std::strerror(why));
    throw InputError("Cannot read the {} ({}). Check its name and permissions.", name, std::strerror(why));
  }
  struct stat info {};
  if (fstat(file, &info) != 0)
    throw InputError("Cannot read the {} ({}). Check its permissions.", name, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) throw InputError("Cannot read the {}: it is a folder. Choose a file.", name);
  if (!S_ISREG(info.st_mode))
    throw InputError(
        "Cannot read the {}: it is a pipe or a device, which may never end. Write its output to a file and choose "
        "that.",
        name);
  const auto reject_size = [&] {
    throw InputError("Cannot read the {}: it is larger than {}. Choose a smaller one.", name, format_bytes(max_bytes));
  };
  if (info.st_size > 0 && static_cast<std::size_t>(info.st_size) > max_bytes) reject_size();
  // Some files report no size, and some grow: read until the end.
  std::string text;
  std::size_t room = static_cast<std::size_t>(info.st_size) + 1;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + room);
    const ssize_t got = read(file, text.data() + before, room);
    text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError("Cannot read the {} to its end ({}).", name, std::strerror(errno));
    if (got == 0) return text;
    if (text.size() > max_bytes) reject_size();
    room = std::size_t{1} << 16;
  }
}

std::optional<std::string> read_kept_file(const std::string& path, const std::string& what, std::size_t max_bytes,
                                          Message& failure) {
  failure = {};
  struct stat info {};
  if (path.empty() || (stat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR))) return std::nullopt;
  try {
    return read_input_file(path, what, max_bytes);
  } catch (const InputError& error) {
    failure = error.message();
    return std::nullopt;
  }
}

std::string read_text_file(const std::string& path, const std::string& what, std::size_t max_bytes) {
  std::string text = read_input_file(path, what, max_bytes);
  const Message name = named_file(what, path);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw InputError("Cannot read the {}: its encoding is UTF-16. Save it as UTF-8.", name);
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    throw InputError("Cannot read the {}: it has a NUL character in line {}, so it is not a text. Choose a text file.",
                     name, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n'));
  if (text.starts_with(byte_order_mark)) text.erase(0, 3);
  return text;
}

}  // namespace perturb
