#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/table.h"
#include "app/lessons/lesson_shelf.h"
#include "app/scenes/own_presets.h"
#include "app/scenes/presets.h"
#include "cuda/core/catalog.h"
#include "cuda/core/colormap.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

const char* word_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::real:
      return "real";
    case ValueKind::integer:
      return "integer";
    case ValueKind::boolean:
      return "boolean";
    case ValueKind::choice:
      return "choice";
  }
  return "";
}

// "wave/my-tank", as the command line takes it.
std::string word_of_own(const Scene& own) {
  return own.simulation + "/" + std::filesystem::path(own.preset).stem().string();
}

// A value as files and the command line write it: a number, true or false, a choice's id; null where it must be given.
Json json_of(const ValueInfo& info, double value) {
  if (value != value) return nullptr;
  if (info.kind == ValueKind::boolean) return value != 0;
  if (info.kind == ValueKind::choice) return info.format(value);
  if (info.kind == ValueKind::integer) return static_cast<std::int64_t>(value);
  return value;
}

Json json_of(const ValueInfo& info) {
  Json json = {{"id", info.id},
               {"label", info.label},
               {"unit", info.unit},
               {"symbol", info.symbol},
               {"help", info.help},
               {"kind", word_of(info.kind)},
               {"default", json_of(info, info.initial)}};
  if (info.kind == ValueKind::real || info.kind == ValueKind::integer) {
    json["minimum"] = info.minimum;
    json["maximum"] = info.maximum;
    json["scale"] = info.scale == Scale::linear ? "linear" : "logarithmic";
  }
  if (!info.as_parameter.empty()) json["as_parameter"] = info.as_parameter;
  if (info.kind == ValueKind::choice) {
    json["choices"] = Json::array();
    for (const Choice& choice : info.choices) json["choices"].push_back({{"id", choice.id}, {"label", choice.label}});
  }
  return json;
}

template <class Values>
Json json_of_all(const Values& values) {
  Json json = Json::array();
  for (const ValueInfo& info : values) json.push_back(json_of(info));
  return json;
}

Json json_of(const Parameter& parameter) {
  Json json = json_of(static_cast<const ValueInfo&>(parameter));
  json["group"] = parameter.group;
  json["apply"] = parameter.apply == Apply::live ? "live" : "restart";
  return json;
}

Json json_of(const SimulationInfo& info) {
  Json json = {{"id", info.id},
               {"title", info.title},
               {"summary", info.summary},
               {"equation", info.equation},
               {"default_size", {info.default_width, info.default_height}}};
  for (const char* key : {"presets", "parameters", "actions", "tools", "quantities", "kernels", "lessons"})
    json[key] = Json::array();
  for (const std::string& id : preset_ids(info.id)) {
    const Setup setup = load_setup(info.id + "/" + id);
    json["presets"].push_back({{"id", id},
                               {"scene", info.id + "/" + id},
                               {"title", setup.title},
                               {"hint", setup.hint},
                               {"try", setup.tries}});
  }
  json["own_presets"] = Json::array();
  for (const Scene& own : find_own_presets(own_presets_folder()).presets)
    if (own.simulation == info.id)
      json["own_presets"].push_back(
          {{"scene", word_of_own(own)}, {"title", own.title}, {"hint", own.hint}, {"file", own.preset}});
  for (const auto& lesson : all_lessons().lessons)
    if (lesson->simulation == info.id)
      json["lessons"].push_back({{"id", lesson->id},
                                 {"lesson", lesson->path()},
                                 {"title", lesson->title},
                                 {"summary", lesson->summary},
                                 {"steps", lesson->steps.size()}});
  for (const Parameter& parameter : info.parameters) json["parameters"].push_back(json_of(parameter));
  for (const ActionKind& kind : info.actions)
    json["actions"].push_back({{"id", kind.id},
                               {"label", kind.label},
                               {"help", kind.help},
                               {"takes_image", kind.takes_image},
                               {"fields", json_of_all(kind.fields)}});
  for (const Tool& tool : info.tools)
    json["tools"].push_back(
        {{"id", tool.id}, {"label", tool.label}, {"help", tool.help}, {"brush", json_of_all(tool.brush)}});
  for (const Quantity& quantity : info.quantities)
    json["quantities"].push_back({{"id", quantity.id},
                                  {"label", quantity.label},
                                  {"unit", quantity.unit},
                                  {"minimum", quantity.minimum},
                                  {"maximum", quantity.maximum},
                                  {"colormap", quantity.colormap},
                                  {"signed", quantity.is_signed},
                                  {"in_space", quantity.in_space},
                                  {"can_lie_over", quantity.can_lie_over}});
  for (const KernelVariant& kernel : info.kernels)
    json["kernels"].push_back({{"id", kernel.id},
                               {"title", kernel.title},
                               {"idea", kernel.idea},
                               {"cpu", kernel.on_cpu},
                               {"cuda", kernel.on_cuda},
                               {"steps_per_pass", kernel.steps_per_pass}});
  json["studies"] = Json::array();
  for (const Study& study : info.studies) json["studies"].push_back({{"id", study.id}, {"summary", study.summary}});
  return json;
}

std::string range_of(const ValueInfo& info) {
  if (info.kind == ValueKind::boolean) return "true or false";
  if (info.kind == ValueKind::choice) {
    std::string text;
    for (const Choice& choice : info.choices) text += (text.empty() ? "" : ", ") + choice.id;
    return text;
  }
  return number_in_words(info.minimum) + " to " + number_in_words(info.maximum);
}

void print(const SimulationInfo& info) {
  std::cout << info.id << ": " << info.title << "\n" << info.summary << "\n\n";
  TextTable presets({"scene", "title"});
  for (const std::string& id : preset_ids(info.id))
    presets.add({"  " + info.id + "/" + id, load_setup(info.id + "/" + id).title});
  OwnPresets own = find_own_presets(own_presets_folder());
  for (const Scene& one : own.presets)
    if (one.simulation == info.id) presets.add({"  " + word_of_own(one), one.title + " (your own)"});
  presets.print(std::cout);
  std::cout << '\n';
  TextTable lessons({"lesson", "title", "what it is about"});
  for (const auto& lesson : all_lessons().lessons)
    if (lesson->simulation == info.id) lessons.add({"  " + lesson->path(), lesson->title, lesson->summary});
  lessons.print(std::cout);
  std::cout << '\n';
  TextTable parameters({"parameter", ">default", "range", "unit", "meaning"});
  for (const Parameter& p : info.parameters)
    parameters.add({"  " + p.id, p.format(p.initial), range_of(p), p.unit, p.label});
  parameters.print(std::cout);
  std::cout << '\n';
  TextTable kernels({"kernel", "runs on", "idea"});
  for (const KernelVariant& k : info.kernels)
    kernels.add({"  " + k.id, k.on_cpu && k.on_cuda ? "cpu, cuda" : k.on_cpu ? "cpu" : "cuda", k.idea});
  kernels.print(std::cout);
}

}  // namespace

int list_command(const ListOptions& options) {
  std::vector<const SimulationInfo*> listed(catalog().begin(), catalog().end());
  if (!options.simulation.empty()) listed = {&find_simulation(options.simulation)};
  if (!options.json) {
    for (const SimulationInfo* info : listed) {
      if (info != listed.front()) std::cout << "\n\n";
      print(*info);
    }
    std::cout << "\ncolormaps: ";
    for (const Colormap& map : colormaps()) std::cout << (&map == &colormaps().front() ? "" : ", ") << map.id;
    std::cout << '\n';
    return 0;
  }
  Json json = {{"program", "perturb"},
               {"version", PERTURB_VERSION},
               {"simulations", Json::array()},
               {"colormaps", Json::array()}};
  for (const SimulationInfo* info : listed) json["simulations"].push_back(json_of(*info));
  for (const Colormap& map : colormaps()) json["colormaps"].push_back(map.id);
  std::cout << json.dump(2) << '\n';
  return 0;
}

}  // namespace perturb
