// Checked values of a request: every invalid one throws an InputError that names it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

using WebJson = nlohmann::ordered_json;

// Null if the key is missing.
const WebJson* find_in(const WebJson& args, const std::string& key);
const WebJson& require_in(const WebJson& args, const std::string& key);
// A key that is not known would be ignored, and a later version's link would open as another scene. `name`: of `args`.
void require_keys_of(const WebJson& args, const std::string& name, std::initializer_list<const char*> known);

double number_in(const WebJson& args, const std::string& key);
double number_in(const WebJson& args, const std::string& key, double otherwise);
std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t min_value, std::int64_t max_value);
std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t min_value, std::int64_t max_value,
                    std::int64_t otherwise);
std::string text_in(const WebJson& args, const std::string& key);
std::string text_in(const WebJson& args, const std::string& key, const std::string& otherwise);
bool bool_in(const WebJson& args, const std::string& key, bool otherwise);

// Inverse of json_of_value, checked against the value's record.
double value_from(const ValueInfo& info, const WebJson& value);

// Converts {kind: "droplet", x: 0.5, ...}, with the ids of its kind's table, to an action and back.
Action action_from(const SimulationInfo& info, const WebJson& json);
WebJson json_of_action(const SimulationInfo& info, const Action& action);

// A message for the page, which translates it (i18n.js). A text without arguments: the text itself; with arguments:
// {"text": format, "arguments": [...]}. An argument can also be {"value": "0.5"}, which is shown as it is, or
// {"parameter": id, "label": label}.
WebJson json_of(const Message& message);

// [[x, y], ...]
WebJson json_of_points(const std::vector<CurvePoint>& points);

}  // namespace perturb
