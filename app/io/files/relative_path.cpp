#include "app/io/files/relative_path.h"

#include <filesystem>

namespace perturb {

namespace fs = std::filesystem;

std::string resolve_relative_path(const std::string& file, const std::string& name) {
  const fs::path folder = fs::path(file).parent_path();
  const fs::path meant = folder / name;
  std::error_code ignored;
  const fs::path home = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder, ignored), ignored);
  const fs::path real = fs::weakly_canonical(fs::absolute(meant, ignored), ignored);
  const fs::path way = real.lexically_relative(home);
  if (real.empty() || way.empty() || *way.begin() == "..") return "";
  return meant.string();
}

}  // namespace perturb
