#include "app/scenes/presets.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>

#include <toml++/toml.h>

#include "app/files/text_file.h"
#include "app/pictures/image.h"
#include "cuda/core/catalog.h"
#include "cuda/core/colormap.h"
#include "cuda/core/embedded.h"
#include "cuda/core/shown.h"
#include "cuda/core/words.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_presets();  // made by perturb_embed from assets/presets

namespace {

namespace fs = std::filesystem;

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_word(word, candidates);
  return near.empty() ? "." : "; did you mean " + in_quotes(near) + "?";
}

// A table of a file that is being read: hands out values by key with their types checked, and complains with file, line
// and column. What has not been asked for when it is all read is not known here.
class Reader {
 public:
  Reader(const toml::table& table, std::string name) : table_(table), name_(std::move(name)) {}

  [[noreturn]] void fail(const toml::source_region& where, const std::string& sentence) const {
    throw InputError(name_ + ":" + std::to_string(where.begin.line) + ":" + std::to_string(where.begin.column) + ": " +
                     sentence);
  }
  [[noreturn]] void fail(const toml::node& where, const std::string& sentence) const { fail(where.source(), sentence); }
  [[noreturn]] void fail(const std::string& sentence) const { fail(table_, sentence); }

  const toml::node* find(const std::string& key) {
    asked_.push_back(key);
    return table_.get(key);
  }
  std::string text(const std::string& key, const std::string& otherwise) {
    const toml::node* node = find(key);
    if (!node) return otherwise;
    if (const auto* string = node->as_string()) return string->get();
    fail(*node, key + " must be a text in quotes, such as " + key + " = \"...\".");
  }
  bool truth(const std::string& key, bool otherwise) {
    const toml::node* node = find(key);
    if (!node) return otherwise;
    if (const auto* boolean = node->as_boolean()) return boolean->get();
    fail(*node, key + " must be true or false.");
  }
  std::int64_t whole(const toml::node& node, const std::string& key, std::int64_t least, std::int64_t most) const {
    const auto* integer = node.as_integer();
    if (!integer || integer->get() < least || integer->get() > most)
      fail(node, key + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ".");
    return integer->get();
  }
  double number(const toml::node& node, const std::string& key) const {
    if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
    if (const auto* real = node.as_floating_point()) return real->get();
    fail(node, key + " must be a number.");
  }
  const toml::array* pair(const std::string& key, const std::string& example) {
    const toml::node* node = find(key);
    if (!node) return nullptr;
    const toml::array* array = node->as_array();
    if (!array || array->size() != 2) fail(*node, key + " must be two numbers, such as " + key + " = " + example + ".");
    return array;
  }
  const toml::table* subtable(const std::string& key) {
    const toml::node* node = find(key);
    if (!node) return nullptr;
    if (const toml::table* table = node->as_table()) return table;
    fail(*node, key + " must be a table: begin it with a line [" + key + "].");
  }
  // The tables of [[key]], in order.
  std::vector<const toml::table*> subtables(const std::string& key) {
    std::vector<const toml::table*> tables;
    const toml::node* node = find(key);
    if (!node) return tables;
    const toml::array* array = node->as_array();
    if (!array) fail(*node, key + " must be a list of tables: begin each with a line [[" + key + "]].");
    for (const toml::node& element : *array) {
      if (!element.is_table())
        fail(element, key + " must be a list of tables: begin each with a line [[" + key + "]].");
      tables.push_back(element.as_table());
    }
    return tables;
  }
  // A value in the terms of its record: a number, true or false, or a choice's id.
  double value(const toml::node& node, const ValueInfo& info) const {
    try {
      return unlocated_value(node, info);
    } catch (const InputError& error) {
      fail(node, error.what());
    }
  }
  // Complains about the first key that nobody asked for.
  void finish(const std::vector<std::string>& also_possible = {}) const {
    for (const auto& [key, node] : table_) {
      const std::string name(static_cast<std::string_view>(key));
      if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
      std::vector<std::string> candidates = asked_;
      candidates.insert(candidates.end(), also_possible.begin(), also_possible.end());
      const std::string sentence = in_quotes(name) + " is not known here" + did_you_mean(name, candidates);
      // Older versions of toml++ do not tell where a key stands, only its value.
      if constexpr (requires { key.source(); })
        fail(key.source(), sentence);
      else
        fail(node, sentence);
    }
  }

  const toml::table& table() const { return table_; }
  const std::string& name() const { return name_; }

 private:
  static double unlocated_value(const toml::node& node, const ValueInfo& info) {
    if (const auto* boolean = node.as_boolean()) return info.parse(boolean->get() ? "true" : "false");
    if (const auto* string = node.as_string()) {
      if (info.kind != ValueKind::choice) throw InputError(info.id + " is given as a text: write it without quotes.");
      return info.parse(string->get());
    }
    double given = 0;
    if (const auto* integer = node.as_integer())
      given = static_cast<double>(integer->get());
    else if (const auto* real = node.as_floating_point())
      given = real->get();
    else
      throw InputError(info.id + " must be a single value.");
    if (info.kind == ValueKind::choice || info.kind == ValueKind::boolean)
      return info.parse(number_in_words(given));  // says what it takes instead
    info.check(given);
    return given;
  }

  const toml::table& table_;
  std::string name_;
  std::vector<std::string> asked_;
};

// The one parse for both kinds of file: a syntax error becomes a sentence.
toml::table parse_toml(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw InputError(name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                     std::string(error.description()) + ".");
  }
}

// Where a file of TOML means its image: in its own folder or below, for whoever opens a preset of somebody else's did
// not choose which of his files it reads. Links are followed before that is judged.
std::string image_beside(const Reader& reader, const toml::node& node, const std::string& image) {
  const fs::path folder = fs::path(reader.name()).parent_path();
  const fs::path meant = folder / image;
  std::error_code ignored;
  const fs::path home = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder, ignored), ignored);
  const fs::path real = fs::weakly_canonical(fs::absolute(meant, ignored), ignored);
  const fs::path way = real.lexically_relative(home);
  if (real.empty() || way.empty() || *way.begin() == "..")
    reader.fail(node, "The image " + in_quotes(image) +
                          " lies outside of this file's folder: copy it beside the file, and name it from there.");
  return meant.string();
}

// The rest of `reader`'s table, after the keys that say what it is, as the fields of an action.
Action read_action(Reader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info) {
  const ActionKind* kind = nullptr;
  std::vector<std::string> kinds;
  for (const ActionKind& k : info.actions) {
    kinds.push_back(k.id);
    if (k.id == kind_id) kind = &k;
  }
  if (!kind)
    reader.fail(kind_node,
                "There is no action " + in_quotes(kind_id) + " in " + info.id + did_you_mean(kind_id, kinds));
  Action action;
  action.kind = kind_id;
  for (const ValueInfo& field : kind->fields)
    if (const toml::node* node = reader.find(field.id)) action.numbers[field.id] = reader.value(*node, field);
  if (kind->takes_image) {
    action.file = reader.text("image", "");
    if (!action.file.empty()) {
      const std::string image = image_beside(reader, *reader.find("image"), action.file);
      try {
        action.image = load_grey_image(image);
      } catch (const InputError& error) {
        reader.fail(*reader.find("image"), error.what());
      }
    }
  }
  reader.finish();
  try {
    check_action(action, info.actions);
  } catch (const InputError& error) {
    reader.fail(error.what());
  }
  return action;
}

void read_parameters(const toml::table& table, const std::string& name, const SimulationInfo& info, Setup& setup) {
  Reader reader(table, name);
  for (const Parameter& p : info.parameters)
    if (const toml::node* node = reader.find(p.id)) setup.parameters[p.id] = reader.value(*node, p);
  reader.finish();
}

void read_camera(Reader& reader, Camera& camera) {
  if (const toml::array* center = reader.pair("center", "[0.5, 0.5]")) {
    camera.center_x = reader.number(*center->get(0), "center"),
    camera.center_y = reader.number(*center->get(1), "center");
    if (!is_camera_center(camera.center_x) || !is_camera_center(camera.center_y))
      reader.fail(*center, "center is a point of the domain in fractions of it, such as center = [0.5, 0.5].");
  }
  if (const toml::node* zoom = reader.find("zoom")) {
    camera.zoom = reader.number(*zoom, "zoom");
    if (!(camera.zoom >= least_zoom && camera.zoom <= most_zoom))
      reader.fail(*zoom,
                  "zoom must be from " + number_in_words(least_zoom) + " to " + number_in_words(most_zoom) + ".");
  }
  if (const toml::array* orbit = reader.pair("orbit", "[30, 20]")) {
    const double yaw = reader.number(*orbit->get(0), "orbit"), pitch = reader.number(*orbit->get(1), "orbit");
    if (!(std::abs(yaw) <= 360 && std::abs(pitch) <= 90))
      reader.fail(*orbit, "orbit is two angles in degrees, around (-360 to 360) and above (-90 to 90).");
    camera.yaw = yaw * radians_per_degree, camera.pitch = pitch * radians_per_degree;
  }
}

void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, Setup& setup) {
  Reader reader(table, name);
  ViewSettings& view = setup.view;
  view.quantity = reader.text("quantity", "");
  std::vector<std::string> quantities;
  for (const Quantity& q : info.quantities) quantities.push_back(q.id);
  if (!view.quantity.empty() && std::find(quantities.begin(), quantities.end(), view.quantity) == quantities.end())
    reader.fail(*reader.find("quantity"), "There is no quantity " + in_quotes(view.quantity) + " in " + info.id +
                                              did_you_mean(view.quantity, quantities));
  view.colormap = reader.text("colormap", "");
  if (!view.colormap.empty()) {
    try {
      find_colormap(view.colormap);
    } catch (const InputError& error) {
      reader.fail(*reader.find("colormap"), error.what());
    }
  }
  if (const toml::array* range = reader.pair("range", "[-1, 1]")) {
    view.minimum = reader.number(*range->get(0), "range");
    view.maximum = reader.number(*range->get(1), "range");
    if (!std::isfinite(view.minimum) || !std::isfinite(view.maximum) || !(view.minimum < view.maximum))
      reader.fail(*range, "range must go from a smaller number to a larger one.");
  }
  view.automatic = reader.truth("automatic", view.automatic);
  view.smooth = reader.truth("smooth", view.smooth);
  read_camera(reader, setup.camera);
  reader.finish();
}

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
      const toml::table table = parse_toml(std::string(file.text), name);
      list.push_back({path.parent_path().string(), path.stem().string(), name, file.text,
                      table["order"].value_or(std::numeric_limits<std::int64_t>::max())});
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

bool is_simulation(const std::string& id) {
  const auto& all = catalog();
  return std::any_of(all.begin(), all.end(), [&](const SimulationInfo* info) { return info->id == id; });
}

[[noreturn]] void refuse_scene(const std::string& scene) {
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
  const std::string near = nearest_word(scene, scenes);
  throw InputError(
      "There is no scene " + in_quotes(scene) +
      (near.empty() ? ": \"perturb list\" shows what there is." : "; did you mean " + in_quotes(near) + "?"));
}

}  // namespace

std::vector<std::string> preset_ids(const std::string& simulation) {
  std::vector<std::string> ids;
  for (const EmbeddedPreset& preset : embedded())
    if (preset.simulation == simulation) ids.push_back(preset.id);
  return ids;
}

Setup parse_setup(const std::string& text, const std::string& name, const std::string& simulation,
                  const std::string& preset) {
  const toml::table table = parse_toml(text, name);
  Reader reader(table, name);
  Setup setup;
  setup.preset = preset;
  setup.simulation = reader.text("simulation", simulation);
  if (setup.simulation.empty()) {
    setup.simulation = fs::path(name).parent_path().filename().string();
    if (!is_simulation(setup.simulation))
      reader.fail("the preset does not say what it is for: add a line such as simulation = \"" + catalog().front()->id +
                  "\".");
  }
  const SimulationInfo* info = nullptr;
  try {
    info = &find_simulation(setup.simulation);
  } catch (const InputError& error) {
    const toml::node* node = reader.find("simulation");
    if (node) reader.fail(*node, error.what());
    reader.fail(error.what());
  }
  if (!simulation.empty() && setup.simulation != simulation)
    reader.fail(*reader.find("simulation"), "this preset is for " + setup.simulation + ", not for " + simulation + ".");

  setup.title = reader.text("title", preset);
  setup.hint = reader.text("hint", "");
  if (const toml::node* order = reader.find("order")) reader.whole(*order, "order", 0, 1000000);
  if (const toml::array* size = reader.pair("size", "[512, 512]")) {
    setup.width = static_cast<int>(reader.whole(*size->get(0), "size", 1, 1 << 30));
    setup.height = static_cast<int>(reader.whole(*size->get(1), "size", 1, 1 << 30));
  }
  if (const toml::node* seed = reader.find("seed"))
    setup.seed = static_cast<std::uint32_t>(reader.whole(*seed, "seed", 0, std::numeric_limits<std::uint32_t>::max()));
  if (const toml::node* steps = reader.find("steps_per_frame"))
    setup.steps_per_frame = static_cast<int>(reader.whole(*steps, "steps_per_frame", 1, 1000000));
  if (const toml::table* parameters = reader.subtable("parameters")) read_parameters(*parameters, name, *info, setup);
  if (const toml::table* view = reader.subtable("view")) read_view(*view, name, *info, setup);
  for (const toml::table* action : reader.subtables("action")) {
    Reader fields(*action, name);
    const toml::node* kind = fields.find("kind");
    if (!kind)
      fields.fail("an action needs its kind, such as kind = \"" +
                  (info->actions.empty() ? std::string("droplet") : info->actions.front().id) + "\".");
    const std::string kind_id = fields.text("kind", "");
    setup.actions.push_back(read_action(fields, *kind, kind_id, *info));
  }
  reader.finish();
  return setup;
}

Setup load_setup(const std::string& scene) {
  std::error_code ignored;
  if (scene.ends_with(".toml")) return parse_setup(read_text_file(scene, "preset file"), scene, "", scene);
  if (is_simulation(scene)) {
    const std::vector<std::string> ids = preset_ids(scene);
    if (!ids.empty()) return load_setup(scene + "/" + ids.front());
    Setup bare;
    bare.simulation = scene;
    return bare;
  }
  const std::size_t slash = scene.find('/');
  if (slash != std::string::npos)
    if (const EmbeddedPreset* preset = find_embedded(scene.substr(0, slash), scene.substr(slash + 1)))
      return parse_setup(std::string(preset->text), preset->name, preset->simulation, preset->id);
  if (fs::is_regular_file(scene, ignored))
    throw InputError("\"" + scene + "\" is a file, but its name does not end with .toml as a preset's does." +
                     (scene.ends_with(".h5") ? " Saved states are opened with --load." : ""));
  refuse_scene(scene);
}

Setup setup_of(const State& state) {
  const SimulationInfo& info = find_simulation(state.simulation);
  Setup setup;
  std::error_code ignored;
  if (const EmbeddedPreset* preset = find_embedded(state.simulation, state.preset)) {
    setup = parse_setup(std::string(preset->text), preset->name, preset->simulation, preset->id);
  } else if (state.preset.ends_with(".toml") && fs::is_regular_file(state.preset, ignored)) {
    try {
      setup = load_setup(state.preset);
    } catch (const InputError&) {
      setup = {};  // it has changed since; the state itself is whole
    }
  }
  if (setup.simulation != state.simulation) {
    setup = {};
    setup.simulation = state.simulation;
    setup.preset = state.preset;
  }
  setup.width = state.width;
  setup.height = state.height;
  setup.seed = state.seed;
  setup.parameters.clear();
  for (const auto& [id, text] : state.parameters) {
    const auto found = std::find_if(info.parameters.begin(), info.parameters.end(),
                                    [&, wanted = id](const Parameter& p) { return p.id == wanted; });
    if (found == info.parameters.end())
      throw InputError("The saved state has a parameter " + in_quotes(id) + " that " + info.id + " does not have.");
    try {
      setup.parameters[id] = found->parse(text);
    } catch (const InputError& error) {
      throw InputError("In the saved state, " + std::string(error.what()));
    }
  }
  return setup;
}

namespace {
ScriptStart read_script_start(Reader& reader) {
  ScriptStart start;
  if (const toml::node* words = reader.find("start")) {
    const toml::array* array = words->as_array();
    for (std::size_t k = 0; array && k < array->size(); ++k)
      if (const auto* word = array->get(k)->as_string()) start.words.push_back(word->get());
    if (!array || start.words.empty() || start.words.size() != array->size())
      reader.fail(*words, "start is the words of a command line, such as start = [\"wave/rain\", \"--seed\", \"3\"].");
  }
  if (const toml::node* steps = reader.find("steps"))
    start.steps = reader.whole(*steps, "steps", 0, std::numeric_limits<std::int64_t>::max());
  return start;
}
}  // namespace

ScriptStart load_script_start(const std::string& path) {
  const toml::table table = parse_toml(read_text_file(path, "script"), path);
  Reader reader(table, path);
  return read_script_start(reader);
}

std::vector<Event> parse_script(const std::string& text, const std::string& name, const std::string& simulation) {
  const SimulationInfo& info = find_simulation(simulation);
  const toml::table table = parse_toml(text, name);
  Reader reader(table, name);
  read_script_start(reader);
  std::vector<Event> events;
  for (const toml::table* entry : reader.subtables("event")) {
    Reader fields(*entry, name);
    Event event;
    const toml::node* step = fields.find("step");
    if (!step) fields.fail("an event needs its step, such as step = 100.");
    event.step = fields.whole(*step, "step", 0, std::numeric_limits<std::int64_t>::max());
    const toml::node* action = fields.find("action");
    const toml::node* set = fields.find("set");
    const toml::node* kernel = fields.find("kernel");
    const toml::table* view = fields.subtable("view");
    if ((action != nullptr) + (set != nullptr) + (kernel != nullptr) + (view != nullptr) != 1)
      fields.fail(
          "an event needs either action = \"...\", set = \"...\" with a value, kernel = \"...\" or view = { ... }.");
    if (action) {
      const std::string kind = fields.text("action", "");
      event.deed = read_action(fields, *action, kind, info);
    } else if (kernel) {
      const ChooseKernel choice{fields.text("kernel", "auto")};
      try {
        if (choice.id != "auto") kernel_index(info, choice.id);
      } catch (const InputError& error) {
        fields.fail(*kernel, error.what());
      }
      fields.finish();
      event.deed = choice;
    } else if (view) {
      Setup shown;
      read_view(*view, name, info, shown);
      fields.finish();
      event.deed = ViewChange{shown.view, shown.camera};
    } else {
      ParameterChange change;
      change.id = fields.text("set", "");
      std::vector<std::string> ids;
      const Parameter* parameter = nullptr;
      for (const Parameter& p : info.parameters) {
        ids.push_back(p.id);
        if (p.id == change.id) parameter = &p;
      }
      if (!parameter)
        fields.fail(*set,
                    "There is no parameter " + in_quotes(change.id) + " in " + info.id + did_you_mean(change.id, ids));
      const toml::node* value = fields.find("value");
      if (!value) fields.fail("a change of " + change.id + " needs a line value = ...");
      change.value = fields.value(*value, *parameter);
      fields.finish();
      event.deed = change;
    }
    events.push_back(std::move(event));
  }
  reader.finish();
  return events;
}

std::vector<Event> load_script(const std::string& path, const std::string& simulation) {
  return parse_script(read_text_file(path, "script"), path, simulation);
}

}  // namespace perturb
