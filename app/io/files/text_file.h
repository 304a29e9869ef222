// Reads whole files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cuda/core/backend/message.h"

namespace perturb {

// Larger than any text written manually.
constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

// The bytes of a regular file. `what` names it in messages: "preset file" for the text `preset file "{}"`. Throws
// InputError if the file does not exist, is not regular (a folder; a pipe or a device, which may never end), cannot be
// read, or is larger than `max_bytes`.
std::string read_input_file(const std::string& path, const std::string& what, std::size_t max_bytes);
// The same for UTF-8 text, without the byte order mark that some editors add. Throws InputError for UTF-16, and for NUL
// characters, which would truncate messages.
std::string read_text_file(const std::string& path, const std::string& what, std::size_t max_bytes = max_text_bytes);

// The same for a file that the program or the desktop maintains: settings, caches, progress. A missing file gives no
// value and no error. A file that cannot be read must not end the program, so its message goes to `failure`.
std::optional<std::string> read_kept_file(const std::string& path, const std::string& what, std::size_t max_bytes,
                                          Message& failure);

}  // namespace perturb
