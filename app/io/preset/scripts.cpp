#include "app/io/preset/scripts.h"

#include <limits>

#include "app/io/files/text_file.h"
#include "app/io/preset/toml_reader.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

ScriptStart read_script_start(TableReader& reader) {
  ScriptStart start;
  if (const toml::node* words = reader.find("start")) {
    const toml::array* array = words->as_array();
    for (std::size_t k = 0; array && k < array->size(); ++k)
      if (const auto* word = array->get(k)->as_string()) start.arguments.push_back(word->get());
    if (!array || start.arguments.empty() || start.arguments.size() != array->size())
      reader.fail(*words,
                  "start must be the arguments of a command line, such as start = [\"wave/rain\", \"--seed\", \"3\"].");
  }
  if (const toml::node* steps = reader.find("steps"))
    start.steps = reader.integer(*steps, "steps", 0, std::numeric_limits<std::int64_t>::max());
  return start;
}
}  // namespace

ScriptStart load_script_start(const std::string& path) {
  const toml::table table = parse_toml(read_text_file(path, "script"), path);
  TableReader reader(table, path);
  return read_script_start(reader);
}

std::vector<Event> parse_script(const std::string& text, const std::string& name, const std::string& simulation) {
  const SimulationInfo& info = find_simulation(simulation);
  const toml::table table = parse_toml(text, name);
  TableReader reader(table, name);
  read_script_start(reader);
  std::vector<Event> events;
  for (const toml::table* entry : reader.subtables("event")) {
    TableReader fields(*entry, name);
    Event event;
    event.origin = name + ":" + std::to_string(entry->source().begin.line);
    const toml::node* step = fields.find("step");
    if (!step) fields.fail("an event needs a step, such as step = 100.");
    event.step = fields.integer(*step, "step", 0, std::numeric_limits<std::int64_t>::max());
    const toml::node* action = fields.find("action");
    const toml::node* set = fields.find("set");
    const toml::node* kernel = fields.find("kernel");
    const toml::table* view = fields.subtable("view");
    if ((action != nullptr) + (set != nullptr) + (kernel != nullptr) + (view != nullptr) != 1)
      fields.fail(
          "an event needs either action = \"...\", set = \"...\" with a value, kernel = \"...\" or view = { ... }.");
    if (action) {
      const std::string kind = fields.text("action", "");
      event.change = read_action(fields, *action, kind, info);
    } else if (kernel) {
      const ChooseKernel choice{fields.text("kernel", "auto")};
      try {
        if (choice.id != "auto" && !is_edited_kernel(choice.id)) kernel_index(info, choice.id);
      } catch (const InputError& error) {
        fields.fail(*kernel, error.message());
      }
      fields.finish();
      event.change = choice;
    } else if (view) {
      ViewChange shown;
      read_view(*view, name, info, shown.view, shown.camera);
      fields.finish();
      event.change = shown;
    } else {
      ParameterChange change;
      change.id = fields.text("set", "");
      const Parameter* parameter = find_parameter(info.parameters, change.id);
      if (!parameter) {
        std::vector<std::string> ids;
        for (const Parameter& p : info.parameters) ids.push_back(p.id);
        fields.fail(*set, {"There is no parameter \"{}\" in {}{}", change.id, info.id, did_you_mean(change.id, ids)});
      }
      const toml::node* value = fields.find("value");
      if (!value) fields.fail({"a change of {} needs a line value = ...", change.id});
      change.value = fields.value(*value, *parameter);
      change.id = parameter->id;
      fields.finish();
      event.change = change;
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
