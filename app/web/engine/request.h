// Values of a request, checked: every wrong one is an InputError that names it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

using WebJson = nlohmann::ordered_json;

// Null where it is not given.
const WebJson* find_in(const WebJson& args, const std::string& key);
const WebJson& require_in(const WebJson& args, const std::string& key);

double number_in(const WebJson& args, const std::string& key);
double number_in(const WebJson& args, const std::string& key, double otherwise);
std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t least, std::int64_t most);
std::int64_t int_in(const WebJson& args, const std::string& key, std::int64_t least, std::int64_t most,
                    std::int64_t otherwise);
std::string text_in(const WebJson& args, const std::string& key);
std::string text_in(const WebJson& args, const std::string& key, const std::string& otherwise);
bool bool_in(const WebJson& args, const std::string& key, bool otherwise);

// As json_of_value writes it, checked against its record.
double value_from(const ValueInfo& info, const WebJson& value);

// {kind: "droplet", x: 0.5, ...}, in the words of its kind's table, and back.
Action action_from(const SimulationInfo& info, const WebJson& json);
WebJson json_of_action(const SimulationInfo& info, const Action& action);

// [[x, y], ...]
WebJson json_of_points(const std::vector<CurvePoint>& points);

}  // namespace perturb
