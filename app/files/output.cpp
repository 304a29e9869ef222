#include "app/files/output.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/core/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

std::atomic<std::int64_t> operations_until_failure{-1};
std::atomic<unsigned> temporaries_made{0};

std::string sentence(const std::string& path, int code) {
  std::string text = "Could not write \"" + path + "\": " + std::strerror(code) + ".";
  if (code == ENOSPC || code == EDQUOT) text += " Free some space or name a file on another disk.";
  return text;
}

// Where the bytes are to end up: a link stays a link and its target is replaced.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(path, ignored);
  return ignored || real.empty() ? path : real.string();
}

bool is_special(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// The ending stays, because ffmpeg and others choose the format by it.
std::string temporary_for(const std::string& target) {
  const fs::path path(target);
  const std::string name = "." + path.stem().string() + "." + std::to_string(getpid()) + "-" +
                           std::to_string(temporaries_made++) + ".part" + path.extension().string();
  return (path.parent_path() / name).string();
}

void sync_to_disk(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);  // what cannot be synchronised (some network disks) is written all the same
  close(file);
}

}  // namespace

void fail_output_after(std::int64_t countdown) { operations_until_failure = countdown; }

void pass_output_door(const std::string& path) {
  if (operations_until_failure < 0) return;
  if (operations_until_failure-- == 0) throw Error(sentence(path, ENOSPC));
}

void require_writable(const std::string& path) {
  if (path.empty()) throw InputError("An output file has an empty name: give it one.");
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError("Cannot write to \"" + path + "\": it is a folder. Name a file in it.");
  if (path.back() == '/')
    throw InputError("Cannot write to \"" + path +
                     "\": a name that ends with a slash means a folder. Name a file in it.");
  if (is_special(path) || fs::exists(path, ignored)) {
    if (access(path.c_str(), W_OK) != 0)
      throw InputError("Cannot write to \"" + path + "\": " + std::strerror(errno) +
                       ". Choose another name or change its permissions.");
    if (is_special(path)) return;
  }
  const std::string target = target_of(path);
  const fs::path folder = fs::path(target).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw InputError("Cannot write to \"" + path + "\": there is no folder \"" + fs::path(path).parent_path().string() +
                     "\". Make it first, or choose another.");
  // Permissions, read-only disks, quotas and over-long names all show when a file is really made.
  const std::string probe = temporary_for(target);
  const int file = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    throw InputError("Cannot write to \"" + path + "\": " + std::strerror(errno) + ". Choose another folder or name.");
  close(file);
  unlink(probe.c_str());
}

PendingFile::PendingFile(const std::string& path) : path_(path), direct_(is_special(path)) {
  pass_output_door(path);
  if (direct_) {
    target_ = temporary_ = path;
    return;
  }
  target_ = target_of(path);
  temporary_ = temporary_for(target_);
  const int file = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) throw Error(sentence(path, errno));
  struct stat old {};
  // Who could read the old file can read the new one.
  if (stat(target_.c_str(), &old) == 0) (void)!fchmod(file, old.st_mode & 07777);
  close(file);
  pending_ = true;
}

PendingFile::~PendingFile() {
  if (pending_) unlink(temporary_.c_str());
}

void PendingFile::commit() {
  if (direct_ || !pending_) return;
  pass_output_door(path_);
  sync_to_disk(temporary_);
  pass_output_door(path_);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw Error(sentence(path_, errno));
  pending_ = false;
}

void replace_file(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  PendingFile file(path);
  pass_output_door(path);
  write(file.temporary());
  file.commit();
}

}  // namespace perturb
