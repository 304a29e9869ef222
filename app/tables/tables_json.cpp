#include "app/tables/tables_json.h"

#include <cstdint>
#include <string>

#include "app/io/preset/presets.h"
#include "app/lessons/lesson_library.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

const char* name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::real:
      return "real";
    case ValueKind::integer:
      return "integer";
    case ValueKind::boolean:
      return "boolean";
    case ValueKind::choice:
      return "choice";
    case ValueKind::formula:
      return "formula";
  }
  return "";
}

}  // namespace

nlohmann::ordered_json json_of_value(const ValueInfo& info, double value) {
  if (value != value) return nullptr;
  if (info.kind == ValueKind::boolean) return value != 0;
  if (info.kind == ValueKind::choice || info.kind == ValueKind::formula) return info.format(value);
  if (info.kind == ValueKind::integer) return static_cast<std::int64_t>(value);
  return value;
}

namespace {

Json json_of(const ValueInfo& info) {
  Json json = {{"id", info.id},
               {"label", info.label},
               {"unit", info.unit},
               {"symbol", info.symbol},
               {"help", info.help},
               {"kind", name_of(info.kind)},
               {"default", json_of_value(info, info.initial)}};
  if (info.kind == ValueKind::real || info.kind == ValueKind::integer) {
    json["minimum"] = info.minimum;
    json["maximum"] = info.maximum;
    json["scale"] = info.scale == Scale::linear ? "linear" : "logarithmic";
    if (info.scale_start > 0) json["scale_start"] = info.scale_start;
  }
  if (!info.as_parameter.empty()) json["as_parameter"] = info.as_parameter;
  if (!info.zero.empty()) json["zero"] = info.zero;
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

}  // namespace

nlohmann::ordered_json json_of_simulation(const SimulationInfo& info) {
  Json json = {{"id", info.id},           {"title", info.title},
               {"summary", info.summary}, {"equation", info.equation},
               {"source", info.paper},    {"paper_page", info.paper_page},
               {"orbits", info.orbits},   {"default_size", {info.default_width, info.default_height}}};
  for (const char* key : {"presets", "parameters", "actions", "tools", "quantities", "kernels", "lessons"})
    json[key] = Json::array();
  for (const std::string& id : preset_ids(info.id)) {
    const Scene scene = load_scene(info.id + "/" + id);
    Json units = Json::object();
    for (const UnitScale& unit : scene.units) units[unit.of] = text_of(unit);
    json["presets"].push_back({{"id", id},
                               {"scene", info.id + "/" + id},
                               {"title", scene.title},
                               {"hint", scene.hint},
                               {"touch_hint", scene.touch_hint},
                               {"try", scene.tries},
                               {"keywords", scene.keywords},
                               {"controls", scene.simple.controls},
                               {"readings", scene.simple.readings},
                               {"units", std::move(units)}});
  }
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
                               {"lasting", kind.lasting},
                               {"fields", json_of_all(kind.fields)}});
  for (const Tool& tool : info.tools)
    json["tools"].push_back({{"id", tool.id},
                             {"label", tool.label},
                             {"help", tool.help},
                             {"key", tool.key},
                             {"wheel", tool.wheel},
                             {"immediate", tool.immediate},
                             {"brush", json_of_all(tool.brush)}});
  for (const Quantity& quantity : info.quantities)
    json["quantities"].push_back({{"id", quantity.id},
                                  {"label", quantity.label},
                                  {"unit", quantity.unit},
                                  {"minimum", quantity.minimum},
                                  {"maximum", quantity.maximum},
                                  {"colormap", quantity.colormap},
                                  {"signed", quantity.is_signed},
                                  {"in_space", quantity.has_depth},
                                  {"can_lie_over", quantity.can_overlay}});
  for (const KernelVariant& kernel : info.kernels)
    json["kernels"].push_back({{"id", kernel.id},
                               {"title", kernel.title},
                               {"idea", kernel.idea},
                               {"cpu", kernel.on_cpu},
                               {"cuda", kernel.on_cuda},
                               {"steps_per_pass", kernel.steps_per_pass}});
  return json;
}

}  // namespace perturb
