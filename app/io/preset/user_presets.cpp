#include "app/io/preset/user_presets.h"

#include <algorithm>
#include <filesystem>

#include "app/io/files/user_folders.h"
#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace fs = std::filesystem;

std::string user_presets_folder() {
  const std::string folder = data_folder();
  return folder.empty() ? folder : folder + "/presets";
}

UserPresets find_user_presets(const std::string& folder) {
  UserPresets found;
  if (folder.empty()) return found;
  for (const SimulationInfo* info : catalog()) {
    std::vector<SceneEntry> of_simulation;
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(folder) / info->id, error), end; !error && entry != end;
         entry.increment(error)) {
      // Hidden files are still being written.
      const std::string name = entry->path().filename().string();
      if (entry->path().extension() != ".toml" || name.starts_with(".")) continue;
      const std::string path = entry->path().string();
      try {
        const Scene scene = load_scene(path);
        const bool untitled = scene.title.empty() || scene.title == path;
        of_simulation.push_back({scene.setup.simulation, info->title, path,
                                 untitled ? entry->path().stem().string() : scene.title, scene.hint, scene.keywords});
      } catch (const Error& problem) {
        found.problems.emplace_back(problem.what());
      }
    }
    std::sort(of_simulation.begin(), of_simulation.end(), [](const SceneEntry& a, const SceneEntry& b) {
      return a.title != b.title ? a.title < b.title : a.preset < b.preset;
    });
    found.presets.insert(found.presets.end(), of_simulation.begin(), of_simulation.end());
  }
  std::sort(found.problems.begin(), found.problems.end());
  return found;
}

std::string preset_file_stem(const std::string& title) {
  std::string stem;
  for (const char c : title) {
    const auto letter = static_cast<unsigned char>(c);
    // Keeps a to z, digits and all other UTF-8 characters.
    const bool stays = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || letter >= 0x80;
    if (stays)
      stem += c;
    else if (c >= 'A' && c <= 'Z')
      stem += static_cast<char>(c - 'A' + 'a');
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  while (stem.ends_with("-")) stem.pop_back();
  return stem.empty() ? "preset" : stem;
}

}  // namespace perturb
