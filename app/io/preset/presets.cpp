#include "app/io/preset/presets.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>

#include "app/io/files/text_file.h"
#include "app/io/preset/quotes.h"
#include "app/io/preset/user_presets.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_presets();  // made by perturb_embed from assets/presets

namespace {

namespace fs = std::filesystem;

struct EmbeddedPreset {
  std::string simulation, id, name;
  std::string_view text;
  std::int64_t order;
};

// In the order of the menus.
const std::vector<EmbeddedPreset>& embedded() {
  static const std::vector<EmbeddedPreset> presets = [] {
    std::vector<EmbeddedPreset> list;
    for (const EmbeddedFile& file : embedded_presets()) {
      const fs::path path(file.name);
      const std::string name = "presets/" + std::string(file.name);
      list.push_back({path.parent_path().string(), path.stem().string(), name, file.text,
                      order_of_preset(std::string(file.text), name)});
    }
    std::sort(list.begin(), list.end(), [](const EmbeddedPreset& a, const EmbeddedPreset& b) {
      return std::tie(a.order, a.id) < std::tie(b.order, b.id);
    });
    return list;
  }();
  return presets;
}

const EmbeddedPreset* find_embedded(const std::string& simulation, const std::string& id) {
  for (const EmbeddedPreset& preset : embedded())
    if (preset.simulation == simulation && preset.id == id) return &preset;
  return nullptr;
}

[[noreturn]] void reject_scene(const std::string& scene) {
  std::vector<std::string> scenes;
  for (const SimulationInfo* info : catalog()) {
    scenes.push_back(info->id);
    for (const std::string& id : preset_ids(info->id)) {
      // A preset's name alone, or behind the wrong simulation, is nearer to what was meant than any spelling.
      if (scene == id)
        throw InputError("There is no scene " + in_quotes(scene) + "; did you mean " + in_quotes(info->id + "/" + id) +
                         "?");
      scenes.push_back(info->id + "/" + id);
    }
  }
  throw InputError("There is no scene " + in_quotes(scene) +
                   did_you_mean(scene, scenes, ": \"perturb list\" shows what there is."));
}

}  // namespace

std::vector<std::string> preset_ids(const std::string& simulation) {
  std::vector<std::string> ids;
  for (const EmbeddedPreset& preset : embedded())
    if (preset.simulation == simulation) ids.push_back(preset.id);
  return ids;
}

Scene load_scene(const std::string& scene) {
  std::error_code ignored;
  if (scene.ends_with(".toml")) {
    Scene read = parse_scene(read_text_file(scene, "preset file"), scene, "", scene);
    read.as_read = std::make_shared<const Scene>(read);
    return read;
  }
  if (is_simulation(scene)) {
    const std::vector<std::string> ids = preset_ids(scene);
    if (!ids.empty()) return load_scene(scene + "/" + ids.front());
    Scene bare;
    bare.setup.simulation = scene;
    return bare;
  }
  const std::size_t slash = scene.find('/');
  if (slash != std::string::npos)
    if (const EmbeddedPreset* preset = find_embedded(scene.substr(0, slash), scene.substr(slash + 1)))
      return parse_scene(std::string(preset->text), preset->name, preset->simulation, preset->id);
  // One's own of that name.
  if (slash != std::string::npos && scene.find('/', slash + 1) == std::string::npos &&
      is_simulation(scene.substr(0, slash)) && !user_presets_folder().empty())
    if (const std::string own = user_presets_folder() + "/" + scene + ".toml"; fs::is_regular_file(own, ignored))
      return load_scene(own);
  if (fs::is_regular_file(scene, ignored))
    throw InputError(
        "\"" + scene + "\" is a file, but its name does not end with .toml as a preset's does." +
        (scene.ends_with(".h5") || scene.ends_with(".perturb") ? " Saved states are opened with --load." : ""));
  reject_scene(scene);
}

std::string preset_text(const std::string& scene) {
  try {
    if (scene.ends_with(".toml")) return read_text_file(scene, "preset file");
  } catch (const InputError&) {
    return "";
  }
  const std::size_t slash = scene.find('/');
  if (slash == std::string::npos) return "";
  const EmbeddedPreset* preset = find_embedded(scene.substr(0, slash), scene.substr(slash + 1));
  return preset ? std::string(preset->text) : "";
}

Scene scene_of(const State& state) {
  const SimulationInfo& info = find_simulation(state.simulation);
  Scene scene;
  std::error_code ignored;
  if (const EmbeddedPreset* preset = find_embedded(state.simulation, state.preset)) {
    scene = parse_scene(std::string(preset->text), preset->name, preset->simulation, preset->id);
  } else if (state.preset.ends_with(".toml") && fs::is_regular_file(state.preset, ignored)) {
    try {
      scene = load_scene(state.preset);
    } catch (const InputError&) {
      scene = {};  // it has changed since; the state itself is whole
    }
  }
  Setup& setup = scene.setup;
  if (setup.simulation != state.simulation) {
    scene = {};
    setup.simulation = state.simulation;
    setup.preset = state.preset;
  }
  setup.width = state.width;
  setup.height = state.height;
  setup.seed = state.seed;
  setup.parameters.clear();
  for (const auto& [id, text] : state.parameters) {
    const Parameter* found = find_parameter(info.parameters, id);
    if (!found)
      throw InputError("The saved state has a parameter " + in_quotes(id) + " that " + info.id + " does not have.");
    try {
      setup.parameters[found->id] = found->parse(text);
    } catch (const InputError& error) {
      throw InputError("In the saved state, " + std::string(error.what()));
    }
  }
  return scene;
}

}  // namespace perturb
