#include "app/io/preset/scenes.h"

#include <algorithm>
#include <filesystem>

#include "app/io/files/folders.h"
#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

// The scene of a preset, or an empty one if it is not available (a deleted file, a state from elsewhere).
Scene preset_scene(const std::string& simulation, const std::string& preset) {
  if (!preset.empty()) {
    try {
      return load_scene(is_built_in(simulation, preset) ? simulation + "/" + preset : preset);
    } catch (const Error&) {
      // Continues below: a missing preset counts as empty.
    }
  }
  Scene empty;
  empty.setup.simulation = simulation;
  return empty;
}

}  // namespace

const std::vector<SceneEntry>& all_scenes() {
  static const std::vector<SceneEntry> scenes = [] {
    std::vector<SceneEntry> all;
    for (const SimulationInfo* info : catalog())
      for (const std::string& preset : preset_ids(info->id)) {
        const Scene scene = preset_scene(info->id, preset);
        const std::string& title = scene.title.empty() ? preset : scene.title;
        all.push_back({info->id, info->title, preset, title, scene.hint, scene.keywords, scene.kiosk_hint});
      }
    return all;
  }();
  return scenes;
}

std::vector<std::string> kiosk_scenes(const std::string& simulation) {
  std::vector<std::string> with_hint, all;
  for (const SceneEntry& scene : all_scenes()) {
    if (!simulation.empty() && scene.simulation != simulation) continue;
    all.push_back(scene.path());
    if (!scene.kiosk_hint.empty()) with_hint.push_back(scene.path());
  }
  return with_hint.empty() ? all : with_hint;
}

const SceneEntry* neighbour_scene(const std::string& path, int direction) {
  const std::vector<SceneEntry>& scenes = all_scenes();
  if (scenes.empty()) return nullptr;
  const auto count = static_cast<int>(scenes.size());
  int here = -1;
  for (int i = 0; i < count; ++i)
    if (scenes[i].path() == path) here = i;
  if (here < 0) return &scenes[direction > 0 ? 0 : count - 1];
  return &scenes[(here + direction + count) % count];
}

std::map<std::string, double> preset_parameters(const Setup& setup) {
  Setup preset = preset_scene(setup.simulation, setup.preset).setup;
  return preset.simulation == setup.simulation ? preset.parameters : std::map<std::string, double>{};
}

std::string scene_path_of(const Setup& setup) {
  if (setup.preset.ends_with(".toml")) return setup.preset;
  return setup.preset.empty() ? setup.simulation : setup.simulation + "/" + setup.preset;
}

std::string scene_name_of(const Setup& setup) {
  const std::filesystem::path file(setup.preset), own(user_presets_folder() + "/" + setup.simulation);
  // The name alone opens the built-in preset, if there is one.
  const bool is_short =
      file.extension() == ".toml" && file.parent_path() == own && !is_built_in(setup.simulation, file.stem().string());
  return is_short ? setup.simulation + "/" + file.stem().string() : scene_path_of(setup);
}

std::string full_scene_path_of(const Setup& setup) {
  Setup full = setup;
  full.preset = full_preset_of(setup.preset);
  return scene_path_of(full);
}

std::string full_scene_name(const Setup& setup) { return full_scene_path_of(setup) + "-full"; }

std::string file_stem(const Setup& setup) {
  std::string stem = setup.simulation;
  if (!setup.preset.empty()) stem += "-" + std::filesystem::path(setup.preset).stem().string();
  for (char& c : stem)
    if (c == '/' || c == '\\' || c == ' ') c = '-';
  return stem;
}

std::string output_stem_of(const Setup& setup, std::int64_t steps) {
  return "perturb-" + file_stem(setup) + "-" + std::to_string(steps);
}

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
        found.problems.push_back(problem.message());
      }
    }
    std::sort(of_simulation.begin(), of_simulation.end(), [](const SceneEntry& a, const SceneEntry& b) {
      return a.title != b.title ? a.title < b.title : a.preset < b.preset;
    });
    found.presets.insert(found.presets.end(), of_simulation.begin(), of_simulation.end());
  }
  std::sort(found.problems.begin(), found.problems.end(),
            [](const Message& a, const Message& b) { return a.english() < b.english(); });
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
