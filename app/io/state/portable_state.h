// Saved states in a format that both the desktop program and the web page read and write, with the ending ".perturb":
//
//   perturb-portable xxh64=0123456789abcdef header=512 bytes=4096\n
//   {"format": "perturb-portable", "format_version": 1, "simulation": "wave", ...}
//   the bytes of the datasets, in the order of the header's list, as in memory (little-endian)
//
// `header` and `bytes` are the lengths of the two parts. The checksum covers everything after the first line. The same
// state gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/simulation/state.h"

namespace perturb {

inline constexpr const char* portable_state_ending = ".perturb";

// Whether the bytes begin a portable state; the first few bytes of a file are enough.
bool begins_portable_state(std::span<const std::byte> bytes);

std::vector<std::byte> portable_bytes_of(const State& state);
// The same, but releases the state's fields as it proceeds.
std::vector<std::byte> portable_bytes_of(State&& state);

// Throws InputError if the bytes are damaged, truncated, of a newer version, or contain anything but the fields of
// their simulation. The message continues "Cannot load FILE: " and has no full stop.
State read_portable_state(std::span<const std::byte> bytes);

}  // namespace perturb
