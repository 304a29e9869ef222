// The one door through which files are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace perturb {

// Throws InputError, in a sentence with a remedy, when `path` cannot be written (no such folder, no
// permission, is a folder); called before a run starts, so that no hour of computing ends at a closed door.
// Leaves an existing file alone.
void require_writable(const std::string& path);

// A file on its way: what is written goes to temporary(), a file in the same folder with the same ending, which takes
// the place of `path` in one rename when all of it is there. Destroyed before that, it leaves the old file as it was.
// A path that is no ordinary file (/dev/stdout, a pipe) is written directly.
class PendingFile {
 public:
  // A new file may be read as the process's mask allows, or by its owner alone (`is_private`). Throws Error.
  explicit PendingFile(const std::string& path, bool is_private = false);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& temporary() const { return temporary_; }
  // The bytes are on the disk before the name is given over, and then the name is, so that not even a power cut leaves
  // half a file. Throws Error; the old file is as it was, but for the very last step, as the sentence then says.
  void commit();

 private:
  std::string path_, target_, temporary_;
  int file_ = -1;  // of the temporary, while there is one; its lock says that this program still works on it
};

// `write` fills a temporary file (its path is the argument), which then takes `path`'s place. Throws Error; the old
// file is as it was. A `path` that is no ordinary file is given as it is: `write` must not remove it.
void replace_file(const std::string& path, const std::function<void(const std::string& temporary)>& write);
// The same with these bytes.
void replace_file(const std::string& path, std::span<const std::byte> bytes, bool is_private = false);

// The first of "STEM", "STEM-2", "STEM-3", ... for which no file exists with any of these endings. Files that the
// program names itself take no other's place.
std::string unused_stem(const std::string& stem, const std::vector<std::string>& endings);

// Every file operation passes here, counted, so that a test can make any of them fail. Throws Error that names `path`.
void check_output_fault(const std::string& path);
// For tests: the `countdown`-th file operation from now fails as if the disk were full (0: the next one; -1: none).
void fail_output_after(std::int64_t countdown);

}  // namespace perturb
