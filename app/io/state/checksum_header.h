// The seal of a saved state: one line of text in the 512 bytes before the HDF5 part, with the length and the checksum
// of what follows them. HDF5 lets a file begin with such a block and steps over it, and so do h5py, MATLAB and
// ParaView.
//
//   perturb-seal xxh64=0123456789abcdef bytes=4096
//
// A file without it (an older one, or one that another program wrote) has no seal and is none the worse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace perturb {

inline constexpr std::size_t checksum_header_bytes = 512;

// Writes the seal of all the rest into the first checksum_header_bytes of `file`, the bytes of a whole file.
void write_checksum_header(std::span<std::byte> file);
// Reads the file of `size` bytes behind the descriptor, whole where it is sealed. Throws InputError, in words that
// follow "Could not load FILE: ", when it has a seal that does not fit it.
void verify_checksum_header(int file, std::uint64_t size);

}  // namespace perturb
