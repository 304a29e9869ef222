#include "app/io/files/output.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

constexpr std::time_t day = 24 * 60 * 60;
constexpr std::size_t max_stem = 100;  // bytes, so that the rest fits after a long name

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
  if (stem.size() <= max_stem) return stem;
  std::size_t end = max_stem;
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
  constexpr std::string_view before = ".perturb-", after = ".part";
  constexpr std::size_t digits = 16;
  const std::size_t mark = name.rfind(before);
  if (mark == std::string::npos || mark == 0 || name.front() != '.') return false;
  const std::string_view rest = std::string_view(name).substr(mark + before.size());
  if (rest.substr(0, digits).find_first_not_of("0123456789abcdef") != std::string_view::npos) return false;
  if (rest.size() < digits + after.size() || rest.substr(digits, after.size()) != after) return false;
  const std::string_view ending = rest.substr(digits + after.size());
  return ending.empty() || ending.rfind('.') == 0;
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

Message cannot_write(const std::string& path, int code) {
  Message message("Cannot write \"{}\": {}.", path, std::strerror(code));
  if (code == ENOSPC || code == EDQUOT) return message + "Free some space or choose a file on another disk.";
  if (code == EFBIG) return message + "Raise the file size limit (ulimit -f).";
  return message;
}

namespace {

std::atomic<std::int64_t> operations_until_failure{-1};

// Final location of the file. A symbolic link stays a link: its target is replaced, or created if missing.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  fs::path link(path);
  constexpr int max_links = 40;  // the limit of Linux
  for (int k = 0; k < max_links && fs::is_symlink(fs::symlink_status(link, ignored)); ++k) {
    const fs::path next = fs::read_symlink(link, ignored);
    if (ignored || next.empty()) break;
    link = link.parent_path() / next;  // gives `next` itself if that is absolute
  }
  const fs::path real = fs::weakly_canonical(link, ignored);
  return ignored || real.empty() ? link.string() : real.string();
}

bool is_special(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Removes the temporary files of killed runs, once per folder, because recording images into a folder writes thousands
// of files.
void remove_stale_temporaries_once(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> swept;
  {
    const std::lock_guard lock(mutex);
    if (!swept.insert(folder).second) return;
  }
  remove_stale_temporaries(folder);
}

// Returns errno, or 0 on success. Some network disks and devices do not support synchronisation and return an error;
// the data is written nevertheless.
int sync_to_disk(int file) {
  while (fsync(file) != 0)
    if (errno != EINTR) return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS ? 0 : errno;
  return 0;
}

int sync_path_to_disk(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (file < 0) return errno == EACCES ? 0 : errno;  // a folder may be writable but not readable
  const int failure = sync_to_disk(file);
  close(file);
  return failure;
}

class OpenOutput {
 public:
  // Messages name `path`.
  OpenOutput(const std::string& path, const std::string& into)
      : path_(path), file_(open(into.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) throw Error(cannot_write(path_, errno));
  }
  ~OpenOutput() {
    if (file_ >= 0) ::close(file_);
  }
  OpenOutput(const OpenOutput&) = delete;
  OpenOutput& operator=(const OpenOutput&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file_, bytes.data(), bytes.size());
      if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
      if (n == 0) throw Error(cannot_write(path_, ENOSPC));
      if (n < 0 && errno != EINTR) throw Error(cannot_write(path_, errno));
    }
  }
  // A network disk may report only now that it is full.
  void close() {
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) throw Error(cannot_write(path_, errno));
  }

 private:
  std::string path_;
  int file_;
};

}  // namespace

void fail_output_after(std::int64_t countdown) { operations_until_failure = countdown; }

void check_output_fault(const std::string& path) {
  if (operations_until_failure < 0) return;
  if (operations_until_failure-- == 0) throw Error(cannot_write(path, ENOSPC));
}

void require_writable(const std::string& path) {
  if (path.empty()) throw InputError("Cannot write a file without a name. Give the output file a name.");
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError("Cannot write to \"{}\": it is a folder. Choose a file in it.", path);
  if (path.back() == '/')
    throw InputError("Cannot write to \"{}\": a name ending with a slash is a folder. Choose a file in it.", path);
  if (is_special(path) || fs::exists(path, ignored)) {
    if (access(path.c_str(), W_OK) != 0)
      throw InputError("Cannot write to \"{}\": {}. Choose another name or change its permissions.", path,
                       std::strerror(errno));
    if (is_special(path)) return;
  }
  const std::string target = target_of(path);
  const fs::path folder = fs::path(target).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw InputError("Cannot write to \"{}\": there is no folder \"{}\". Create it first, or choose another one.", path,
                     (fs::is_symlink(path, ignored) ? folder : fs::path(path).parent_path()).string());
  // Permissions, read-only disks, quotas and names that are too long show only when a file is actually created.
  struct stat old {};
  int failure = stat(target.c_str(), &old) == 0 || errno == ENOENT ? 0 : errno;
  if (failure == 0) {
    const TemporaryFile probe = make_temporary(target, 0600);
    failure = probe.failure;
    if (probe.file >= 0) {
      unlink(probe.path.c_str());
      close(probe.file);
    }
  }
  if (failure != 0)
    throw InputError("Cannot write to \"{}\": {}. Choose another folder or name.", path, std::strerror(failure));
}

PendingFile::PendingFile(const std::string& path, bool is_private) : path_(path), target_(path), temporary_(path) {
  check_output_fault(path);
  if (is_special(path)) return;
  target_ = target_of(path);
  remove_stale_temporaries_once(fs::path(target_).parent_path().string());
  const TemporaryFile made = make_temporary(target_, is_private ? 0600 : 0666);
  if (made.file < 0) throw Error(cannot_write(path, made.failure));
  temporary_ = made.path;
  file_ = made.file;
  struct stat old {};
  // Keeps the permissions of the old file.
  if (stat(target_.c_str(), &old) == 0) (void)!fchmod(file_, old.st_mode & 07777);
}

PendingFile::~PendingFile() {
  if (file_ < 0) return;
  unlink(temporary_.c_str());
  close(file_);
}

void PendingFile::commit() {
  if (file_ < 0) return;
  check_output_fault(path_);
  // By name, because the function that filled the file may have created it again.
  if (const int failure = sync_path_to_disk(temporary_, 0); failure != 0) throw Error(cannot_write(path_, failure));
  check_output_fault(path_);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw Error(cannot_write(path_, errno));
  close(std::exchange(file_, -1));
  const std::string folder = fs::path(target_).parent_path().string();
  if (const int failure = sync_path_to_disk(folder.empty() ? "." : folder, O_DIRECTORY); failure != 0)
    throw Error(cannot_write(path_, failure) + "The file was written, but a power cut could still destroy it.");
}

void replace_file(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  PendingFile file(path);
  check_output_fault(path);
  write(file.temporary());
  file.commit();
}

void replace_file(const std::string& path, std::span<const std::byte> bytes, bool is_private) {
  replace_file_in_pieces(
      path, [bytes](const WriteBytes& write) { write(bytes); }, is_private);
}

void replace_file_in_pieces(const std::string& path, const std::function<void(const WriteBytes& write)>& produce,
                            bool is_private) {
  PendingFile file(path, is_private);
  OpenOutput output(path, file.temporary());
  produce([&](std::span<const std::byte> bytes) {
    check_output_fault(path);
    output.write(bytes);
  });
  output.close();
  file.commit();
}

std::string unused_stem(const std::string& stem, const std::vector<std::string>& endings) {
  const auto is_used = [&endings](const std::string& name) {
    return std::any_of(endings.begin(), endings.end(), [&name](const std::string& ending) {
      std::error_code ignored;
      return fs::exists(fs::symlink_status(name + ending, ignored));  // a broken link counts as used too
    });
  };
  std::string name = stem;
  for (int k = 2; is_used(name); ++k) name = stem + "-" + std::to_string(k);
  return name;
}

}  // namespace perturb
