#include "app/web/engine/request.h"

#include <cmath>

#include "app/tables/tables_json.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

[[noreturn]] void reject_value(const std::string& key, const std::string& wanted) {
  throw InputError("\"" + key + "\" must be " + wanted + ". Check the request.");
}

}  // namespace

const WebJson* find_in(const WebJson& args, const std::string& key) {
  if (!args.is_object()) return nullptr;
  const auto found = args.find(key);
  return found == args.end() || found->is_null() ? nullptr : &*found;
}

const WebJson& require_in(const WebJson& args, const std::string& key) {
  if (const WebJson* found = find_in(args, key)) return *found;
  throw InputError("\"" + key + "\" is missing. Check the request.");
}

double number_in(const WebJson& args, const std::string& key) {
  const WebJson& value = require_in(args, key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) reject_value(key, "a number");
  return value.get<double>();
}

double number_in(const WebJson& args, const std::string& key, double otherwise) {
  return find_in(args, key) ? number_in(args, key) : otherwise;
}

std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t least, std::int64_t most) {
  const double value = number_in(args, key);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
    reject_value(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<std::int64_t>(value);
}

std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t least, std::int64_t most,
                    std::int64_t otherwise) {
  return find_in(args, key) ? int_in(args, key, least, most) : otherwise;
}

std::string text_in(const WebJson& args, const std::string& key) {
  const WebJson& value = require_in(args, key);
  if (!value.is_string()) reject_value(key, "a text");
  return value.get<std::string>();
}

std::string text_in(const WebJson& args, const std::string& key, const std::string& otherwise) {
  return find_in(args, key) ? text_in(args, key) : otherwise;
}

bool bool_in(const WebJson& args, const std::string& key, bool otherwise) {
  const WebJson* value = find_in(args, key);
  if (!value) return otherwise;
  if (!value->is_boolean()) reject_value(key, "true or false");
  return value->get<bool>();
}

double value_from(const ValueInfo& info, const WebJson& value) {
  if (value.is_string()) return info.parse(with_decimal_point(value.get<std::string>()));
  if (value.is_boolean()) {
    if (info.kind != ValueKind::boolean) reject_value(info.id, "no truth value");
    return value.get<bool>() ? 1 : 0;
  }
  if (!value.is_number() || info.kind == ValueKind::choice)
    info.parse(value.dump());  // rejects an unknown choice with the table's message
  const double number = value.get<double>();
  info.check(number);
  return number;
}

Action action_from(const SimulationInfo& info, const WebJson& json) {
  Action action;
  action.kind = text_in(json, "kind");
  const ActionKind* kind = find_kind(info.actions, action.kind);
  if (kind) {
    if (kind->takes_image)
      throw InputError("The action \"" + action.kind +
                       "\" needs an image, which the page cannot pass on. Draw instead.");
    for (const auto& [key, value] : json.items()) {
      if (key == "kind") continue;
      const ValueInfo* field = nullptr;
      for (const ValueInfo& one : kind->fields)
        if (one.id == key || (!one.former.empty() && one.former == key)) field = &one;
      if (!field) throw InputError("The action \"" + action.kind + "\" has no \"" + key + "\". Omit it.");
      action.numbers[field->id] = value_from(*field, value);
    }
  }
  check_action(action, info.actions);
  return action;
}

WebJson json_of_action(const SimulationInfo& info, const Action& action) {
  WebJson json = {{"kind", action.kind}};
  if (const ActionKind* kind = find_kind(info.actions, action.kind))
    for (const ValueInfo& field : kind->fields)
      if (const auto given = action.numbers.find(field.id); given != action.numbers.end())
        json[field.id] = json_of_value(field, given->second);
  return json;
}

WebJson json_of_points(const std::vector<CurvePoint>& points) {
  WebJson json = WebJson::array();
  for (const CurvePoint& p : points) json.push_back({p.x, p.y});
  return json;
}

}  // namespace perturb
