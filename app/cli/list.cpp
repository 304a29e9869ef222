#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/bench_study.h"
#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "app/i18n/translation.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "app/run/size_sweep.h"
#include "app/tables/tables_json.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

// "wave/my-tank", as the command line accepts it.
std::string short_name_of(const SceneEntry& own) {
  Setup setup;
  setup.simulation = own.simulation;
  setup.preset = own.preset;
  return scene_name_of(setup);
}

std::string range_of(const ValueInfo& info) {
  if (info.kind == ValueKind::boolean) return "true or false";
  if (info.kind == ValueKind::choice) {
    std::string text;
    for (const Choice& choice : info.choices) text += (text.empty() ? "" : ", ") + choice.id;
    return text;
  }
  if (info.kind == ValueKind::formula) return "formula of x and y";
  return format_number(info.minimum) + " to " + format_number(info.maximum);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The first sentence of the help: the label usually repeats the id.
std::string meaning_of(const Parameter& p) {
  const std::size_t end = p.help.find(". ");
  return p.help.empty() ? p.label : p.help.substr(0, end == std::string::npos ? p.help.find_last_not_of('.') + 1 : end);
}

void print(const SimulationInfo& info) {
  std::cout << info.id << ": " << info.title << "\n" << info.summary << "\n\n";
  TextTable presets({"scene", "title", "keywords"});
  for (const std::string& id : preset_ids(info.id)) {
    const Scene scene = load_scene(info.id + "/" + id);
    presets.add({"  " + info.id + "/" + id, scene.title, joined(scene.keywords)});
  }
  UserPresets own = find_user_presets(user_presets_folder());
  for (const SceneEntry& one : own.presets)
    if (one.simulation == info.id)
      presets.add({"  " + short_name_of(one), one.title + " (user preset)", joined(one.keywords)});
  presets.print(std::cout);
  std::cout << '\n';
  TextTable lessons({"lesson", "title", "content"});
  for (const auto& lesson : all_lessons().lessons)
    if (lesson->simulation == info.id) lessons.add({"  " + lesson->path(), lesson->title, lesson->summary});
  lessons.print(std::cout);
  std::cout << '\n';
  TextTable parameters({"parameter", ">default", "range", "unit", "meaning"});
  for (const Parameter& p : info.parameters)
    parameters.add({"  " + p.id, p.format(p.initial), range_of(p), p.unit, meaning_of(p)});
  parameters.print(std::cout);
  std::cout << '\n';
  TextTable kernels({"kernel", "runs on", "idea"});
  for (const KernelVariant& k : info.kernels)
    kernels.add({"  " + k.id, k.on_cpu && k.on_cuda ? "cpu, cuda" : k.on_cpu ? "cpu" : "cuda", k.idea});
  kernels.print(std::cout);
}

// A scene with its own values: those that --set changes.
void print(const std::string& name, const Scene& scene) {
  const SimulationInfo& info = find_simulation(scene.setup.simulation);
  const Setup& setup = scene.setup;
  const GridSize size = grid_of(setup, info);
  std::cout << name << ": " << scene.title << " (" << info.title << "), --size " << size.width << "x" << size.height
            << "\n"
            << text_for(FrontEnd::window, scene.hint) << "\n\n";
  TextTable parameters({"parameter", ">value", ">default", "range", "unit", "meaning"});
  for (const Parameter& p : info.parameters) {
    const auto own = setup.parameters.find(p.id);
    parameters.add({"  " + p.id, p.format(own != setup.parameters.end() ? own->second : p.initial), p.format(p.initial),
                    range_of(p), p.unit, meaning_of(p)});
  }
  parameters.print(std::cout);
}

bool is_scene(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(".toml"); }

// Prints the user's files that are not valid presets.
void print_problems() {
  for (const Message& problem : find_user_presets(user_presets_folder()).problems)
    print_line(std::cerr, problem.english());
}

}  // namespace

int list_command(const ListOptions& options) {
  if (is_scene(options.listed)) {
    if (options.json)
      throw InputError("--json lists whole simulations. Name one, without a preset: perturb list {} --json.",
                       find_simulation(load_scene(options.listed).setup.simulation).id);
    print(options.listed, load_scene(options.listed));
    return 0;
  }
  std::vector<const SimulationInfo*> listed(catalog().begin(), catalog().end());
  if (!options.listed.empty()) listed = {&find_simulation(options.listed)};
  if (!options.json) {
    for (const SimulationInfo* info : listed) {
      if (info != listed.front()) std::cout << "\n\n";
      print(*info);
    }
    std::cout << "\ncolormaps: ";
    for (const Colormap& map : colormaps()) std::cout << (&map == &colormaps().front() ? "" : ", ") << map.id;
    std::cout << '\n';
    print_problems();
    return 0;
  }
  Json json = {{"program", "perturb"},
               {"version", PERTURB_VERSION},
               {"simulations", Json::array()},
               {"colormaps", Json::array()}};
  const UserPresets own = find_user_presets(user_presets_folder());
  for (const SimulationInfo* info : listed) {
    Json one = json_of_simulation(*info);
    one["own_presets"] = Json::array();
    for (const SceneEntry& scene : own.presets)
      if (scene.simulation == info->id)
        one["own_presets"].push_back({{"scene", short_name_of(scene)},
                                      {"title", scene.title},
                                      {"hint", scene.hint},
                                      {"keywords", scene.keywords},
                                      {"file", scene.preset}});
    one["studies"] = Json::array();
    for (const BenchStudy& study : bench_studies(*info))
      one["studies"].push_back({{"id", study.id}, {"summary", study.summary}});
    json["simulations"].push_back(std::move(one));
  }
  for (const Colormap& map : colormaps()) json["colormaps"].push_back(map.id);
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  print_problems();
  return 0;
}

}  // namespace perturb
