// The checksum header of a saved state: a line of text in the 512 bytes before the HDF5 part, with the length and the
// checksum of the bytes after the block. HDF5 allows such a block and skips it, and so do h5py, MATLAB and ParaView.
//
//   perturb-seal xxh64=0123456789abcdef bytes=4096
//
// A file without this header (an older one, or one from another program) is valid; it is not verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace perturb {

inline constexpr std::size_t checksum_header_bytes = 512;

// Writes the checksum header of the remaining bytes into the first checksum_header_bytes of `file`, which holds a whole
// file.
void write_checksum_header(std::span<std::byte> file);
// Reads the file of `size` bytes behind the descriptor, completely if it has the header. Throws InputError if the
// header does not match the file; the message continues "Could not load FILE: ".
void verify_checksum_header(int file, std::uint64_t size);

}  // namespace perturb
