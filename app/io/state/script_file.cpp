#include "app/io/state/script_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include "app/io/files/output.h"
#include "app/io/files/text_file.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scripts.h"
#include "app/io/preset/toml_text.h"
#include "app/io/state/state_file.h"
#include "app/race/lane.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/text_format.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

std::string pair_of(double a, double b) { return exact_number(a) + "," + exact_number(b); }

std::string for_shell(const std::string& word) {
  constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+-@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string all = "'";
  for (const char c : word) {
    if (c == '\'')
      all += "'\\''";
    else
      all += c;
  }
  return all + "'";
}

std::string whole_path(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole.string();
}

// The scene as a command-line argument, without options.
std::string scene_argument(const Setup& setup) {
  if (setup.preset.empty()) return setup.simulation;
  return setup.preset.ends_with(".toml") ? whole_path(setup.preset) : setup.simulation + "/" + setup.preset;
}

struct Base {
  std::vector<std::string> arguments;
  Scene scene;
};

// The scene of a saved state, wherever its file is now, without a preset file next to it.
Scene scene_of_saved(const State& state) {
  State header;
  header.simulation = state.simulation;
  header.preset = state.preset.ends_with(".toml") ? "" : state.preset;
  header.width = state.width;
  header.height = state.height;
  header.seed = state.seed;
  header.parameters = state.parameters;
  return scene_of(header);
}

// Applies the input text to `base`.
Scene with_text(Scene base, const Start& start) {
  const TextFormat& format = *find_simulation(base.setup.simulation).text;
  const std::string text = start.input_text ? *start.input_text : read_text_file(start.input, "input file");
  base.setup = format.read(text, start.input, base.setup).setup;
  return base;
}

Base base_of(const Start& start) {
  if (!start.load.empty() && start.state) return {{"--load", whole_path(start.load)}, scene_of_saved(*start.state)};
  const std::string word = scene_argument(start.scene.setup);
  const Scene scene = start.scene.as_read ? *start.scene.as_read : load_scene(word);
  if (start.input.empty()) return {{word}, scene};
  return {{word, "--input", whole_path(start.input)}, with_text(scene, start)};
}

// Whether the run starts from a built-in preset, changed only in ways that options can express.
bool begins_with_user_preset(const Scene& scene) {
  return is_built_in(scene.setup.simulation, scene.setup.preset) &&
         load_scene(scene_argument(scene.setup)).setup.actions == scene.setup.actions;
}

// The same for a script, which may read files of its own next to it.
Base base_beside(const Start& start, const std::string& stem, std::vector<SideFile>& beside) {
  if (start.state && !(start.input_text && !start.input.empty())) {
    beside.push_back({stem + "-start.perturb", start.state});
    return {{"--load", beside.back().name}, scene_of_saved(*start.state)};
  }
  Base base{{scene_argument(start.scene.setup)}, start.scene};
  if (begins_with_user_preset(start.scene)) {
    base.scene = load_scene(base.arguments.front());
  } else {
    Scene written = start.scene;
    int images = 0;
    for (Action& action : written.setup.actions) {
      if (!action.image) continue;
      action.file = stem + "-start-image-" + std::to_string(++images) + ".png";
      beside.push_back({action.file, action.image});
    }
    beside.push_back({stem + "-start.toml", text_of_preset(written)});
    base.arguments = {beside.back().name};
  }
  if (!start.input_text || start.input.empty()) return base;
  beside.push_back({stem + "-start.txt", *start.input_text});
  base.arguments.insert(base.arguments.end(), {"--input", beside.back().name});
  base.scene = with_text(base.scene, start);
  return base;
}

double value_in(const Setup& setup, const Parameter& parameter) {
  const auto found = setup.parameters.find(parameter.id);
  return found == setup.parameters.end() ? parameter.initial : found->second;
}

void add_view(const Scene& now, const Scene& base, std::vector<std::string>& words) {
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  const ViewSettings &view = now.view, &old = base.view;
  const bool other = view.quantity != old.quantity;  // then the option resets the colours and the range
  if (other && !view.quantity.empty()) add("--quantity", view.quantity);
  if (!view.colormap.empty() && (other || view.colormap != old.colormap)) add("--colormap", view.colormap);
  if (view.automatic) {
    if (!old.automatic) add("--range", "auto");
  } else if (view.minimum < view.maximum &&
             (other || old.automatic || view.minimum != old.minimum || view.maximum != old.maximum)) {
    add("--range", pair_of(view.minimum, view.maximum));
  }
  if (view.layer != old.layer) add("--layer", layer_option(view.layer));
  if (view.theory != old.theory) add("--theory", view.theory ? "on" : "off");
  const Camera &camera = now.camera, &home = base.camera;
  if (camera.zoom != home.zoom) add("--zoom", exact_number(std::clamp(camera.zoom, min_zoom, max_zoom)));
  if (camera.center_x != home.center_x || camera.center_y != home.center_y)
    add("--center", pair_of(camera.center_x, camera.center_y));
  if (camera.yaw != home.yaw || camera.pitch != home.pitch)
    add("--orbit", pair_of(std::remainder(camera.yaw / radians_per_degree, 360),
                           std::clamp(camera.pitch / radians_per_degree, -90.0, 90.0)));
}

std::string view_of(const ViewChange& shown) {
  const ViewSettings& view = shown.view;
  const Camera& camera = shown.camera;
  std::string text = "{ ";
  if (!view.quantity.empty()) text += "quantity = " + toml_string(view.quantity) + ", ";
  if (!view.colormap.empty()) text += "colormap = " + toml_string(view.colormap) + ", ";
  if (view.minimum < view.maximum) text += "range = " + toml_real_pair(view.minimum, view.maximum) + ", ";
  text += std::string("automatic = ") + (view.automatic ? "true" : "false");
  text += std::string(", smooth = ") + (view.smooth ? "true" : "false");
  if (!view.layer.quantity.empty()) text += ", layer = " + layer_table(view.layer);
  if (view.theory) text += ", theory = true";
  text +=
      ", center = " + toml_real_pair(std::clamp(camera.center_x, -2.0, 3.0), std::clamp(camera.center_y, -2.0, 3.0));
  text += ", zoom = " + toml_real(std::clamp(camera.zoom, min_zoom, max_zoom));
  text += ", orbit = " + toml_real_pair(std::remainder(camera.yaw / radians_per_degree, 360),
                                        std::clamp(camera.pitch / radians_per_degree, -90.0, 90.0));
  return text + " }";
}

// Names of images that are written next to the script, for images from elsewhere.
using ImageNames = std::map<const GreyImage*, std::string>;

std::string text_of(const Event& event, const SimulationInfo& info, const ImageNames& images) {
  std::string text = "\n[[event]]\nstep = " + std::to_string(event.step) + "\n";
  if (const auto* action = std::get_if<Action>(&event.change)) {
    text += "action = " + toml_string(action->kind) + "\n";
    for (const ActionKind& kind : info.actions) {
      if (kind.id != action->kind) continue;
      for (const ValueInfo& field : kind.fields)
        if (const auto given = action->numbers.find(field.id); given != action->numbers.end())
          text += field.id + " = " + toml_value(field, given->second) + "\n";
    }
    if (action->image) {
      const auto beside = images.find(action->image.get());
      text += "image = " + toml_string(beside == images.end() ? action->file : beside->second) + "\n";
    }
  } else if (const auto* change = std::get_if<ParameterChange>(&event.change)) {
    const ParameterSet table(info.parameters, nullptr);  // used only to look up parameters
    text +=
        "set = " + toml_string(change->id) + "\nvalue = " + toml_value(table.find(change->id), change->value) + "\n";
  } else if (const auto* kernel = std::get_if<ChooseKernel>(&event.change)) {
    text += "kernel = " + toml_string(kernel->id) + "\n";
  } else {
    text += "view = " + view_of(std::get<ViewChange>(event.change)) + "\n";
  }
  return text;
}

std::string script_text(const Experiment& experiment, std::vector<std::string> words,
                        const std::vector<std::string>& more, const ImageNames& images) {
  std::string text =
      "# A run of Perturb. Repeat it with \"perturb --script FILE\"; on the same backend it gives the same "
      "bits.\nstart "
      "= [";
  bool first = true;
  words.insert(words.end(), more.begin(), more.end());
  for (const std::string& word : words) {
    text += (first ? "" : ", ") + toml_string(word);
    first = false;
  }
  text += "]\nsteps = " + std::to_string(experiment.simulation().steps()) + "\n";
  for (const Event& event : experiment.log()) text += text_of(event, experiment.info(), images);
  return text;
}

std::vector<std::string> arguments_from(Base base, const Start& start) {
  std::vector<std::string>& words = base.arguments;
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  const Setup &now = start.scene.setup, &before = base.scene.setup;
  if (now.width > 0 && now.height > 0 && (now.width != before.width || now.height != before.height))
    add("--size", std::to_string(now.width) + "x" + std::to_string(now.height));
  if (now.seed != before.seed) add("--seed", std::to_string(now.seed));
  for (const Parameter& p : find_simulation(now.simulation).parameters)
    if (const double value = value_in(now, p); value != value_in(before, p)) add("--set", p.id + "=" + p.format(value));
  const bool loads = !words.empty() && words.front() == "--load";
  if (start.kernel != (loads ? kernel_of(*start.state) : "auto")) add("--kernel", start.kernel);
  if (start.scene.lanes != base.scene.lanes)
    for (const Lane& lane : start.scene.lanes) add("--lane", text_of(lane, find_simulation(now.simulation)));
  if (start.scene.race_by_time != base.scene.race_by_time) add("--by", start.scene.race_by_time ? "time" : "steps");
  add_view(start.scene, base.scene, words);
  return std::move(words);
}

}  // namespace

std::vector<std::string> to_arguments(const Start& start) { return arguments_from(base_of(start), start); }

std::string command_line_of(const Experiment& experiment) {
  Start now = experiment.start();
  now.scene = experiment.scene();
  now.scene.view = experiment.shown().view;
  now.scene.camera = experiment.shown().camera;
  now.kernel = experiment.kernel();
  std::string line = "perturb";
  for (const std::string& word : to_arguments(now)) line += " " + for_shell(word);
  return line;
}

std::string script_of(const Experiment& experiment) { return script_of(experiment, experiment.start()); }

std::string script_of(const Experiment& experiment, const Start& start, const std::vector<std::string>& more) {
  return script_text(experiment, to_arguments(start), more, {});
}

ScriptFiles script_files(const Experiment& experiment, const std::string& stem, const std::vector<std::string>& more) {
  ScriptFiles files;
  const Start& start = experiment.start();
  std::vector<std::string> words = arguments_from(base_beside(start, stem, files.beside), start);
  // An image may come from anywhere, but a script reads only images next to it.
  ImageNames images;
  for (const Event& event : experiment.log()) {
    const auto* action = std::get_if<Action>(&event.change);
    if (!action || !action->image || images.count(action->image.get())) continue;
    const std::string name = stem + "-image-" + std::to_string(images.size() + 1) + ".png";
    files.beside.push_back({name, action->image});
    images[action->image.get()] = name;
  }
  files.text = script_text(experiment, std::move(words), more, images);
  return files;
}

std::string script_of_view(const Experiment& experiment) {
  return text_of({0, experiment.shown()}, experiment.info(), {});
}

std::optional<ViewChange> view_beside(const std::string& state, const std::string& simulation) {
  try {
    const std::string path = (fs::path(state).parent_path() / view_file_name).string();
    for (const Event& event : load_script(path, simulation))
      if (const auto* view = std::get_if<ViewChange>(&event.change)) return *view;
  } catch (const Error&) {
  }
  return {};
}

void write_side_file(const SideFile& file, const std::string& folder) {
  const std::string path = (fs::path(folder) / file.name).string();
  if (const auto* state = std::get_if<std::shared_ptr<const State>>(&file.content))
    save_state(**state, path);
  else if (const auto* image = std::get_if<std::shared_ptr<const GreyImage>>(&file.content))
    save_grey_png(**image, path);
  else
    replace_file(path, std::as_bytes(std::span(std::get<std::string>(file.content))));
}

void save_script(const Experiment& experiment, const std::string& path, const std::vector<std::string>& more) {
  const fs::path script(path);
  const ScriptFiles files = script_files(experiment, script.stem().string(), more);
  for (const SideFile& file : files.beside) write_side_file(file, script.parent_path().string());
  replace_file(path, std::as_bytes(std::span(files.text)));
}

std::vector<std::string> script_endings() { return {".toml", "-start.perturb", "-start.toml", "-start.txt"}; }

}  // namespace perturb
