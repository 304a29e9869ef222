#include "app/io/state/fallback_file.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "app/io/files/output.h"
#include "app/io/files/temporary_name.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> fallback_folders() {
  std::vector<fs::path> places;
  std::error_code failure;
  if (const fs::path folder = fs::temp_directory_path(failure); !failure) places.push_back(folder);
  if (const char* home = std::getenv("HOME"); home && *home) places.emplace_back(home);
  return places;
}

}  // namespace

std::string save_to_fallback(const std::string& path, std::span<const std::byte> bytes) {
  for (const fs::path& place : fallback_folders()) {
    const std::string name = fallback_name((place / fs::path(path).filename()).string());
    try {
      replace_file(name, bytes, true);  // other users may read the folder for temporary files
      return name;
    } catch (const Error&) {
      // Tries the next folder.
    }
  }
  return "";
}

}  // namespace perturb
