// What to do with an hour's result when the disk is full.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace perturb {

// Writes the bytes to a new file in the folder for temporary files or, failing that, in the home folder, and returns
// its name; empty when neither takes it. The name is `path`'s with random digits, and only its owner may read it.
std::string save_to_fallback(const std::string& path, std::span<const std::byte> bytes);

}  // namespace perturb
