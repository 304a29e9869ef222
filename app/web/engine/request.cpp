#include "app/web/engine/request.h"

#include <cmath>
#include <utility>

#include "app/tables/tables_json.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

const WebJson* find_in(const WebJson& args, const std::string& key) {
  if (!args.is_object()) return nullptr;
  const auto found = args.find(key);
  return found == args.end() || found->is_null() ? nullptr : &*found;
}

const WebJson& require_in(const WebJson& args, const std::string& key) {
  if (const WebJson* found = find_in(args, key)) return *found;
  throw InputError("\"{}\" is missing. Check the request.", key);
}

double number_in(const WebJson& args, const std::string& key) {
  const WebJson& value = require_in(args, key);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw InputError("\"{}\" must be a number. Check the request.", key);
  return value.get<double>();
}

double number_in(const WebJson& args, const std::string& key, double otherwise) {
  return find_in(args, key) ? number_in(args, key) : otherwise;
}

std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t least, std::int64_t most) {
  const double value = number_in(args, key);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
    throw InputError("\"{}\" must be a whole number from {} to {}. Check the request.", key, least, most);
  return static_cast<std::int64_t>(value);
}

std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t least, std::int64_t most,
                    std::int64_t otherwise) {
  return find_in(args, key) ? int_in(args, key, least, most) : otherwise;
}

std::string text_in(const WebJson& args, const std::string& key) {
  const WebJson& value = require_in(args, key);
  if (!value.is_string()) throw InputError("\"{}\" must be a text. Check the request.", key);
  return value.get<std::string>();
}

std::string text_in(const WebJson& args, const std::string& key, const std::string& otherwise) {
  return find_in(args, key) ? text_in(args, key) : otherwise;
}

bool bool_in(const WebJson& args, const std::string& key, bool otherwise) {
  const WebJson* value = find_in(args, key);
  if (!value) return otherwise;
  if (!value->is_boolean()) throw InputError("\"{}\" must be true or false. Check the request.", key);
  return value->get<bool>();
}

double value_from(const ValueInfo& info, const WebJson& value) {
  if (value.is_string()) return info.parse(with_decimal_point(value.get<std::string>()));
  if (value.is_boolean()) {
    if (info.kind != ValueKind::boolean)
      throw InputError("{} cannot be true or false. Choose another value.", Message::parameter(info.id, info.label));
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
      throw InputError("The action \"{}\" needs an image, which the page cannot pass on. Draw instead.", action.kind);
    for (const auto& [key, value] : json.items()) {
      if (key == "kind") continue;
      const ValueInfo* field = nullptr;
      for (const ValueInfo& one : kind->fields)
        if (one.id == key || (!one.former.empty() && one.former == key)) field = &one;
      if (!field) throw InputError("The action \"{}\" has no \"{}\". Omit it.", action.kind, key);
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

WebJson json_of(const Message& message) {
  if (message.is_value()) return {{"value", message.text()}};
  if (message.is_parameter()) return {{"parameter", message.text()}, {"label", message.arguments().front().text()}};
  if (message.arguments().empty()) return message.text();
  WebJson arguments = WebJson::array();
  for (const Message& argument : message.arguments()) arguments.push_back(json_of(argument));
  return {{"text", message.text()}, {"arguments", std::move(arguments)}};
}

WebJson json_of_points(const std::vector<CurvePoint>& points) {
  WebJson json = WebJson::array();
  for (const CurvePoint& p : points) json.push_back({p.x, p.y});
  return json;
}

}  // namespace perturb
