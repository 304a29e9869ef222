#include "app/cli/outputs.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/io/files/output.h"
#include "app/io/image/recorder.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

// Returns whether both paths are the same file, also by "./a" and "a", by a symbolic link or by a hard link.
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

void require_distinct(const RunOptions& options) {
  std::vector<std::pair<const char*, const std::string*>> outputs = {{"--screenshot", &options.screenshot},
                                                                     {"--record", &options.record},
                                                                     {"--csv", &options.csv},
                                                                     {"--curves", &options.curves},
                                                                     {"--save", &options.save}};
  std::erase_if(outputs, [](const auto& output) { return output.second->empty(); });
  for (std::size_t a = 0; a < outputs.size(); ++a)
    for (std::size_t b = a + 1; b < outputs.size(); ++b) {
      const std::string &first = *outputs[a].second, &second = *outputs[b].second;
      if (!are_one_file(first, second)) continue;
      throw InputError(std::string(outputs[a].first) + " and " + outputs[b].first + " both write \"" + first + "\"" +
                       (first == second ? "" : " (the second calls it \"" + second + "\")") + ": name two files.");
    }
}

}  // namespace

void require_outputs(const RunOptions& options) {
  if (!options.screenshot.empty()) {
    if (!options.screenshot.ends_with(".png") && !options.screenshot.ends_with(".PNG"))
      throw InputError("--screenshot cannot be \"" + options.screenshot + "\": its name must end with .png.");
    require_writable(options.screenshot);
  }
  if (!options.record.empty()) require_recordable(options.record);
  if (!options.csv.empty()) require_writable(options.csv);
  if (!options.curves.empty()) {
    if (!options.curves.ends_with(".csv") && !options.curves.ends_with(".png"))
      throw InputError("--curves cannot be \"" + options.curves + "\": its name must end with .csv or .png.");
    require_writable(options.curves);
  }
  if (!options.save.empty()) require_writable(options.save);
  require_distinct(options);
}

}  // namespace perturb
