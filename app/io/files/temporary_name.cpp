#include "app/io/files/temporary_name.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <random>
#include <regex>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perturb {

namespace fs = std::filesystem;

namespace {

constexpr std::time_t day = 24 * 60 * 60;
constexpr std::size_t most_stem = 100;  // bytes, so that the rest fits after a long name

std::string random_digits() {
  static constexpr char digits[] = "0123456789abcdef";
  std::random_device device;
  std::uint64_t bits = (std::uint64_t{device()} << 32) | device();
  std::string text;
  for (int k = 0; k < 16; ++k, bits >>= 4) text += digits[bits & 15];
  return text;
}

// Cuts between characters.
std::string shortened(std::string stem) {
  if (stem.size() <= most_stem) return stem;
  std::size_t end = most_stem;
  while (end > 0 && (static_cast<unsigned char>(stem[end]) & 0xC0) == 0x80) --end;
  return stem.substr(0, end);
}

// Keeps the ending, by which ffmpeg and others choose the format.
std::string random_name(const std::string& target) {
  const fs::path path(target);
  const std::string name =
      "." + shortened(path.stem().string()) + ".perturb-" + random_digits() + ".part" + path.extension().string();
  return (path.parent_path() / name).string();
}

// Accepts only names made by random_name: other programs hide files in the same folders, some for years.
bool is_temporary_name(const std::string& name) {
  static const std::regex ours(R"(\..*\.perturb-[0-9a-f]{16}\.part(\.[^.]*)?)", std::regex::optimize);
  return name.find(".part") != std::string::npos && name.front() == '.' && std::regex_match(name, ours);
}

void remove_if_stale(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    const bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    const bool held = !locked && errno == EWOULDBLOCK;
    const bool old = std::time(nullptr) - status.st_mtime > day;
    if (!held && (old || locked)) unlink(path.c_str());
  }
  close(file);
}

}  // namespace

TemporaryFile make_temporary(const std::string& target, unsigned mode) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    TemporaryFile made{random_name(target)};
    made.file = open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (made.file < 0) {
      if (errno == EEXIST || errno == EINTR) continue;
      made.failure = errno;
      return made;
    }
    // Between creation and locking, another process may have removed the file as stale.
    struct stat status {};
    if (flock(made.file, LOCK_EX | LOCK_NB) == 0 && fstat(made.file, &status) == 0 && status.st_nlink == 0) {
      close(made.file);
      continue;
    }
    return made;
  }
  return {"", -1, EEXIST};
}

std::string fallback_name(const std::string& target) {
  const fs::path path(target);
  const std::string name = shortened(path.stem().string()) + "-" + random_digits() + path.extension().string();
  return (path.parent_path() / name).string();
}

void remove_stale_temporaries(const std::string& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (is_temporary_name(entry->path().filename().string())) remove_if_stale(entry->path().string());
}

}  // namespace perturb
