// Saves a result elsewhere when the disk is full.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace perturb {

// Writes the bytes to a new file in the folder for temporary files or, if that fails, in the home folder. Returns its
// path; empty if both fail. The name is that of `path` with random digits, and only the owner may read the file.
std::string save_to_fallback(const std::string& path, std::span<const std::byte> bytes);

}  // namespace perturb
