#include "app/io/files/same_file.h"

#include <filesystem>
#include <system_error>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return true;
  const auto place = [&](const std::string& path) {
    const fs::path absolute = fs::absolute(path, ignored);
    const fs::path real = fs::weakly_canonical(absolute, ignored);
    return (real.empty() ? absolute : real).lexically_normal();
  };
  return place(a) == place(b);
}

void require_not_read(const std::string& option, const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (output.empty() || input.empty() || !fs::is_regular_file(input, ignored) || !are_one_file(output, input)) return;
  throw InputError("{} cannot be \"{}\": that file would be lost, and it is read too. Name another file.", option,
                   output);
}

}  // namespace perturb
