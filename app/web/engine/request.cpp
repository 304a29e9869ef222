#include "app/web/engine/request.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
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
  throw InputError("\"{}\" is missing. Copy the whole link again.", key);
}

void require_keys_of(const WebJson& args, const std::string& name, std::initializer_list<const char*> known) {
  if (!args.is_object()) throw InputError("\"{}\" must be a group of values. Copy the whole link again.", name);
  for (const auto& [key, value] : args.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError(
          "The link has \"{}\", which this version of the page does not know. Reload the page, or ask for a new link.",
          key);
}

double number_in(const WebJson& args, const std::string& key) {
  const WebJson& value = require_in(args, key);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw InputError("\"{}\" must be a number. Copy the whole link again.", key);
  return value.get<double>();
}

double number_in(const WebJson& args, const std::string& key, double otherwise) {
  return find_in(args, key) ? number_in(args, key) : otherwise;
}

std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t min_value, std::int64_t max_value) {
  const double value = number_in(args, key);
  if (value != std::floor(value) || value < static_cast<double>(min_value) || value > static_cast<double>(max_value))
    throw InputError("\"{}\" must be a whole number from {} to {}. Copy the whole link again.", key, min_value,
                     max_value);
  return static_cast<std::int64_t>(value);
}

std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t min_value, std::int64_t max_value,
                    std::int64_t otherwise) {
  return find_in(args, key) ? int_in(args, key, min_value, max_value) : otherwise;
}

std::string text_in(const WebJson& args, const std::string& key) {
  const WebJson& value = require_in(args, key);
  if (!value.is_string()) throw InputError("\"{}\" must be a text. Copy the whole link again.", key);
  return value.get<std::string>();
}

std::string text_in(const WebJson& args, const std::string& key, const std::string& otherwise) {
  return find_in(args, key) ? text_in(args, key) : otherwise;
}

bool bool_in(const WebJson& args, const std::string& key, bool otherwise) {
  const WebJson* value = find_in(args, key);
  if (!value) return otherwise;
  if (!value->is_boolean()) throw InputError("\"{}\" must be true or false. Copy the whole link again.", key);
  return value->get<bool>();
}

double value_from(const ValueInfo& info, const WebJson& value) {
  if (info.kind == ValueKind::formula) return info.parse(value.is_string() ? value.get<std::string>() : value.dump());
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

namespace {

// Texts that name what a page lacks, such as the command line, and the page's own in their place.
struct PageText {
  std::string_view program, page;
};
constexpr PageText page_texts[] = {
    {": \"perturb list\" shows what there is.", ": the gallery shows what there is."},
    {": \"perturb lesson\" shows what there is.", ": the gallery shows what there is."},
    {"; perturb list shows them all.", "; the list \"About this scene\" has them all."},
    {"A {} of {} x {} needs {} of memory, and {} has {}. Choose a smaller size.",
     "A {} of {} x {} needs {} of memory, and a tab of this browser has {5}. Choose a smaller size."},
    {"Not enough memory for the {}: it needs {}, and {} of {} are free on {}. Choose a smaller size.",
     "Not enough memory for the {}: this browser refuses {} more. Close other tabs, or choose a smaller size."},
    {"{} {} of memory, and {} are free on {}.", "{} {} of memory, and {} are free in this tab."},
};

const std::string& text_of_page(const std::string& text) {
  static const auto texts = [] {
    std::map<std::string, std::string, std::less<>> all;
    for (const PageText& one : page_texts) all.emplace(one.program, one.page);
    return all;
  }();
  const auto found = texts.find(text);
  return found == texts.end() ? text : found->second;
}

}  // namespace

WebJson json_of(const Message& message) {
  if (message.is_value()) return {{"value", message.text()}};
  if (message.is_parameter()) return {{"parameter", message.text()}, {"label", message.arguments().front().text()}};
  const std::string& text = text_of_page(message.text());
  if (message.arguments().empty()) return text;
  WebJson arguments = WebJson::array();
  for (const Message& argument : message.arguments()) arguments.push_back(json_of(argument));
  return {{"text", text}, {"arguments", std::move(arguments)}};
}

WebJson json_of_points(const std::vector<CurvePoint>& points) {
  WebJson json = WebJson::array();
  for (const CurvePoint& p : points) json.push_back({p.x, p.y});
  return json;
}

}  // namespace perturb
