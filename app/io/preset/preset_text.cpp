#include "app/io/preset/preset_text.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/io/preset/scene_reader.h"
#include "app/io/preset/table_reader.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

void read_parameters(const toml::table& table, const std::string& name, const SimulationInfo& info, Setup& setup) {
  TableReader reader(table, name);
  for (const Parameter& p : info.parameters)
    for (const std::string& id : {p.former, p.id})
      if (const toml::node* node = id.empty() ? nullptr : reader.find(id))
        setup.parameters[p.id] = reader.value(*node, p);
  reader.finish();
}

}  // namespace

bool is_simulation(const std::string& id) {
  const auto& all = catalog();
  return std::any_of(all.begin(), all.end(), [&](const SimulationInfo* info) { return info->id == id; });
}

std::int64_t order_of_preset(const std::string& text, const std::string& name) {
  return parse_toml(text, name)["order"].value_or(std::numeric_limits<std::int64_t>::max());
}

Scene parse_scene(const std::string& text, const std::string& name, const std::string& simulation,
                  const std::string& preset) {
  const toml::table table = parse_toml(text, name);
  TableReader reader(table, name);
  Scene scene;
  Setup& setup = scene.setup;
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

  scene.title = reader.text("title", preset);
  scene.hint = reader.text("hint", "");
  scene.touch_hint = reader.text("touch_hint", "");
  scene.past_limit = reader.text("past_limit", "");
  scene.tries = reader.texts("try");
  scene.keywords = reader.texts("keywords");
  if (const toml::node* order = reader.find("order")) reader.integer(*order, "order", 0, 1000000);
  if (const toml::array* size = reader.pair("size", "[512, 512]")) {
    setup.width = static_cast<int>(reader.integer(*size->get(0), "size", 1, 1 << 30));
    setup.height = static_cast<int>(reader.integer(*size->get(1), "size", 1, 1 << 30));
  }
  if (const toml::node* seed = reader.find("seed"))
    setup.seed =
        static_cast<std::uint32_t>(reader.integer(*seed, "seed", 0, std::numeric_limits<std::uint32_t>::max()));
  if (const toml::node* steps = reader.find("steps_per_frame"))
    scene.steps_per_frame = static_cast<int>(reader.integer(*steps, "steps_per_frame", 1, 1000000));
  if (const toml::table* parameters = reader.subtable("parameters")) read_parameters(*parameters, name, *info, setup);
  if (const toml::table* view = reader.subtable("view")) read_view(*view, name, *info, scene.view, scene.camera);
  for (const toml::table* action : reader.subtables("action")) {
    TableReader fields(*action, name);
    const toml::node* kind = fields.find("kind");
    if (!kind)
      fields.fail("an action needs its kind, such as kind = \"" +
                  (info->actions.empty() ? std::string("droplet") : info->actions.front().id) + "\".");
    const std::string kind_id = fields.text("kind", "");
    setup.actions.push_back(read_action(fields, *kind, kind_id, *info));
  }
  reader.finish();
  return scene;
}

}  // namespace perturb
