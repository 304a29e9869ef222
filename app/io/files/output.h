// The single entry point for writing files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// Throws InputError with a remedy if `path` cannot be written (missing folder, no permission, is a folder). Call it
// before a run starts, so that no long computation fails when it is saved. Does not change an existing file.
void require_writable(const std::string& path);

// A file being written. The data goes to temporary(), a file in the same folder with the same ending, which replaces
// `path` in one rename when it is complete. If the object is destroyed before that, the old file is unchanged. A path
// that is not a regular file (/dev/stdout, a pipe) is written directly.
class PendingFile {
 public:
  // A new file is readable as the umask allows, or only by its owner (`is_private`). Throws Error.
  explicit PendingFile(const std::string& path, bool is_private = false);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& temporary() const { return temporary_; }
  // Flushes the data to disk, renames the file, then flushes the folder, so that even a power failure leaves no partial
  // file. Throws Error. The old file is then unchanged, except if the very last operation fails; the message says so.
  void commit();

 private:
  std::string path_, target_, temporary_;
  int file_ = -1;  // of the temporary file while it exists; its lock marks it as in use
};

// `write` fills a temporary file (its path is the argument), which then replaces `path`. Throws Error; the old file is
// then unchanged. A `path` that is not a regular file is passed unchanged: `write` must not remove it.
void replace_file(const std::string& path, const std::function<void(const std::string& temporary)>& write);
// Replaces a file by these bytes in the same way.
void replace_file(const std::string& path, std::span<const std::byte> bytes, bool is_private = false);
// The same for bytes that come in pieces, so that the file may be larger than memory: `produce` passes each to `write`.
using WriteBytes = std::function<void(std::span<const std::byte> bytes)>;
void replace_file_in_pieces(const std::string& path, const std::function<void(const WriteBytes& write)>& produce,
                            bool is_private = false);

// The first of "STEM", "STEM-2", "STEM-3", ... for which no file exists with any of these endings. Files with generated
// names overwrite nothing.
std::string unused_stem(const std::string& stem, const std::vector<std::string>& endings);

// Message about a file that could not be written, from errno: with what to do about a full disk or a size
// limit.
Message cannot_write(const std::string& path, int code);

// Every file operation calls this function, which counts them, so that a test can make any of them fail. Throws Error
// with `path`.
void check_output_fault(const std::string& path);
// For tests: the `countdown`-th file operation from now fails as if the disk were full (0: the next one; -1: none).
void fail_output_after(std::int64_t countdown);

// A newly created file that later replaces another one, open for writing: next to `target`,
// ".NAME.perturb-0123456789abcdef.part.png". The 16 digits are random, because process ids repeat (in a container all
// are 1). The descriptor holds a lock until it is closed, which marks the file as in use.
struct TemporaryFile {
  std::string path;
  int file = -1;    // -1: could not be created
  int failure = 0;  // errno in that case
};
TemporaryFile make_temporary(const std::string& target, unsigned mode);

// "NAME-0123456789abcdef.png" next to `target`; practically certain to be unused.
std::string fallback_name(const std::string& target);

// Removes temporary files of killed runs in this folder ("" is the current one): those with such names and no lock. On
// disks without locks, those that are unchanged for a day.
void remove_stale_temporaries(const std::string& folder);

}  // namespace perturb
