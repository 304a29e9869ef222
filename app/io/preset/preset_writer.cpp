#include "app/io/preset/preset_writer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "app/io/files/output.h"
#include "app/io/image/grey_png.h"
#include "app/io/preset/layer_text.h"
#include "app/io/preset/toml_text.h"
#include "app/io/preset/user_presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

std::string view_table(const ViewSettings& view, const Camera& camera) {
  std::string text = "\n[view]\n";
  if (!view.quantity.empty()) text += "quantity = " + toml_string(view.quantity) + "\n";
  if (!view.colormap.empty()) text += "colormap = " + toml_string(view.colormap) + "\n";
  if (view.minimum < view.maximum) text += "range = " + toml_real_pair(view.minimum, view.maximum) + "\n";
  text += std::string("automatic = ") + (view.automatic ? "true" : "false") + "\n";
  text += std::string("smooth = ") + (view.smooth ? "true" : "false") + "\n";
  if (!view.layer.quantity.empty()) text += "layer = " + layer_table(view.layer) + "\n";
  text += "center = " + toml_real_pair(std::clamp(camera.center_x, -2.0, 3.0), std::clamp(camera.center_y, -2.0, 3.0)) +
          "\n";
  text += "zoom = " + toml_real(std::clamp(camera.zoom, min_zoom, max_zoom)) + "\n";
  text += "orbit = " +
          toml_real_pair(std::remainder(camera.yaw / radians_per_degree, 360),
                         std::clamp(camera.pitch / radians_per_degree, -90.0, 90.0)) +
          "\n";
  return text;
}

std::string action_table(const Action& action, const SimulationInfo& info) {
  std::string text = "\n[[action]]\nkind = " + toml_string(action.kind) + "\n";
  if (const ActionKind* kind = find_kind(info.actions, action.kind))
    for (const ValueInfo& field : kind->fields)
      if (const auto given = action.numbers.find(field.id); given != action.numbers.end())
        text += field.id + " = " + toml_value(field, given->second) + "\n";
  if (action.image) text += "image = " + toml_string(action.file) + "\n";
  return text;
}

}  // namespace

std::string text_of_preset(const Scene& scene) {
  const Setup& setup = scene.setup;
  const SimulationInfo& info = find_simulation(setup.simulation);
  std::string text =
      "# A preset of Perturb. \"perturb FILE\" begins with it; it may be changed by hand.\n"
      "title = " +
      toml_string(scene.title) + "\n";
  if (!scene.hint.empty()) text += "hint = " + toml_string(scene.hint) + "\n";
  if (!scene.touch_hint.empty()) text += "touch_hint = " + toml_string(scene.touch_hint) + "\n";
  if (!scene.tries.empty()) text += "try = " + toml_list(scene.tries) + "\n";
  if (!scene.keywords.empty()) text += "keywords = " + toml_list(scene.keywords) + "\n";
  text += "simulation = " + toml_string(setup.simulation) + "\n";
  if (!scene.past_limit.empty()) text += "past_limit = " + toml_string(scene.past_limit) + "\n";
  if (setup.width > 0 && setup.height > 0)
    text += "size = [" + std::to_string(setup.width) + ", " + std::to_string(setup.height) + "]\n";
  text += "seed = " + std::to_string(setup.seed) + "\n";
  if (scene.steps_per_frame > 0) text += "steps_per_frame = " + std::to_string(scene.steps_per_frame) + "\n";
  text += "\n[parameters]\n";
  for (const Parameter& p : info.parameters)
    if (const auto given = setup.parameters.find(p.id); given != setup.parameters.end())
      text += p.id + " = " + toml_value(p, given->second) + "\n";
  text += view_table(scene.view, scene.camera);
  for (const Action& action : setup.actions) text += action_table(action, info);
  return text;
}

std::string save_preset(Scene scene, const std::string& folder) {
  if (folder.empty())
    throw Error("There is no folder for presets of one's own: set HOME, or XDG_DATA_HOME, to where they may lie.");
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    throw Error("The folder \"" + folder + "\" for presets cannot be made (" + failure.message() +
                "): check its permissions, or set XDG_DATA_HOME to another place.");
  const std::string stem = preset_file_stem(scene.title), path = folder + "/" + stem + ".toml";
  int images = 0;
  for (Action& action : scene.setup.actions) {
    if (!action.image) continue;
    action.file = stem + "-image-" + std::to_string(++images) + ".png";
    save_grey_png(*action.image, folder + "/" + action.file);
  }
  const std::string text = text_of_preset(scene);
  replace_file(path, std::as_bytes(std::span(text)));
  return path;
}

}  // namespace perturb
