// Reading a file whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace perturb {

// What people write by hand is smaller than this.
constexpr std::size_t most_text_bytes = std::size_t{64} << 20;

// The bytes of an ordinary file. `what` names it in messages: "preset file". Throws InputError in a sentence when there
// is none, when it is no ordinary file (a folder; a pipe or a device, which may never end), cannot be read, or is
// larger than `most`.
std::string read_input_file(const std::string& path, const std::string& what, std::size_t most);
// The same for a file that people or programs write as text in UTF-8: without the byte order mark that some editors put
// before it. Throws for a text in UTF-16, and for one with NUL characters, at which messages about it would end.
std::string read_text_file(const std::string& path, const std::string& what, std::size_t most = most_text_bytes);

// The same for a file that the program or the desktop keeps: settings, caches, progress. Such a file may be missing
// (no value, no trouble); one that cannot be read must not end the program, so its message goes to `error`.
std::optional<std::string> read_kept_file(const std::string& path, const std::string& what, std::size_t most,
                                          std::string& failure);

}  // namespace perturb
