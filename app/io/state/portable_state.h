// Saved states in a format that the program for the desktop and the page in a browser both write and read, of the
// ending ".perturb":
//
//   perturb-portable xxh64=0123456789abcdef header=512 bytes=4096\n
//   {"format": "perturb-portable", "format_version": 1, "simulation": "wave", ...}
//   the bytes of the datasets, in the order of the header's list, as they lie in memory (little-endian)
//
// `header` and `bytes` are the lengths of the two parts, and the checksum is of all behind the first line. The same
// state gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/simulation/state.h"

namespace perturb {

inline constexpr const char* portable_state_ending = ".perturb";

// Whether these bytes, of which a file's first few are enough, begin such a state.
bool begins_portable_state(std::span<const std::byte> bytes);

std::vector<std::byte> portable_bytes_of(const State& state);
// The same, and gives up the state's fields on the way.
std::vector<std::byte> portable_bytes_of(State&& state);

// Throws InputError for bytes that are damaged, cut off, of a newer program, or hold anything but the fields of their
// simulation: in words that follow "Could not load FILE: ", without the full stop.
State read_portable_state(std::span<const std::byte> bytes);

}  // namespace perturb
