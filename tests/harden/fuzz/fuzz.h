// Common parts of the fuzz targets. Each passes bytes from libFuzzer to one parser, which accepts them or throws Error
// with a plain message. Any other outcome ends the target, and libFuzzer keeps the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Current input of the parser. libFuzzer also finds the words below and inserts them.
inline std::string_view input;

inline void require_plain(const std::string& message) {
  for (const char* word : {"json.exception", "std::", "basic_string", "internal:", "vector::"})
    if (message.find(word) != std::string::npos && input.find(word) == std::string_view::npos) {
      std::fprintf(stderr, "a message with the words of a library: %s\n", message.c_str());
      std::abort();
    }
  if (message.size() < 10) {
    std::fprintf(stderr, "a message that says nothing: \"%s\"\n", message.c_str());
    std::abort();
  }
}

// Calls `parse`. Exceptions other than Error end the target.
template <class Parse>
void try_parse(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    require_plain(error.what());
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return input = {reinterpret_cast<const char*>(data), size};
}

// A file in memory with these bytes, for parsers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0 || write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace perturb::fuzz
