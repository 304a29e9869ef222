// The checksum of saved states, and the header that holds it.
//
// XXH64 detects accidental damage as well as 64 bits can, and is faster than a disk. `xxhsum -H64` computes the same
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#define XXH_INLINE_ALL
#define XXH_NO_XXH3  // its vector code includes headers that Emscripten lacks
#include <xxhash.h>

namespace perturb {

// Accepts the bytes in pieces of any size.
class XxHash64 {
 public:
  XxHash64() { XXH64_reset(&state_, 0); }
  void add(std::span<const std::byte> bytes) { XXH64_update(&state_, bytes.data(), bytes.size()); }
  std::uint64_t value() const { return XXH64_digest(&state_); }

 private:
  XXH64_state_t state_;
};

// The checksum header of a saved state: a line of text in the 512 bytes before the HDF5 part, with the length and the
// checksum of the bytes after the block. HDF5 allows such a block and skips it, and so do h5py and MATLAB.
//
//   perturb-seal xxh64=0123456789abcdef bytes=4096
//
// A file without this header (an older one, or one from another program) is valid; it is not verified.
inline constexpr std::size_t checksum_header_bytes = 512;

// Writes the checksum header of the remaining bytes into the first checksum_header_bytes of `file`, which holds a whole
// file.
void write_checksum_header(std::span<std::byte> file);
// Reads the file of `size` bytes behind the descriptor, completely if it has the header. Throws InputError if the
// header does not match the file; the message continues "Cannot load FILE: ".
void verify_checksum_header(int file, std::uint64_t size);

}  // namespace perturb
