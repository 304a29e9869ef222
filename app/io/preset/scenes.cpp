#include "app/io/preset/scenes.h"

#include <algorithm>
#include <filesystem>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

// The scene of a preset, or an empty one if it is not available (a deleted file, a state from elsewhere).
Scene preset_scene(const std::string& simulation, const std::string& preset) {
  if (!preset.empty()) {
    try {
      const std::vector<std::string> own = preset_ids(simulation);
      const bool embedded = std::find(own.begin(), own.end(), preset) != own.end();
      return load_scene(embedded ? simulation + "/" + preset : preset);
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
        all.push_back({info->id, info->title, preset, title, scene.hint, scene.keywords});
      }
    return all;
  }();
  return scenes;
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

}  // namespace perturb
