// The checksum of saved states, and the header that holds it.
//
// XXH64 detects accidental damage as well as 64 bits can, and is faster than a disk. `xxhsum -H64` computes the same
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace perturb {

// Accepts the bytes in pieces of any size. The algorithm is Yann Collet's, https://github.com/Cyan4973/xxHash (seed 0).
class XxHash64 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  void take_stripe(const std::byte* stripe);

  static constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87u, prime_2 = 0xC2B2AE3D27D4EB4Fu;
  static constexpr std::size_t stripe_bytes = 32;

  std::uint64_t lanes_[4] = {prime_1 + prime_2, prime_2, 0, std::uint64_t{0} - prime_1};
  std::byte rest_[stripe_bytes] = {};
  std::size_t rest_size_ = 0;
  std::uint64_t total_ = 0;
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
