#include "app/race/lane.h"

#include <algorithm>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr const char *nudge_key = "nudge", *difference_key = "difference";

bool parse_flag(const std::string& key, const std::string& value, const Message& meaning) {
  if (value != "0" && value != "1" && value != "true" && value != "false")
    throw InputError("{} of a lane cannot be \"{}\": it must be 1 ({}) or 0.", key, value, meaning);
  return value == "1" || value == "true";
}

void set_in_lane(Lane& lane, const std::string& key, const std::string& value, const SimulationInfo& info) {
  if (key == "kernel") {
    if (value != "auto") kernel_index(info, value);
    lane.kernel = value;
  } else if (key == "backend") {
    if (value != "cpu" && value != "cuda")
      throw InputError("The backend of a lane cannot be \"{}\": choose cpu or cuda.", value);
    lane.backend = value;
  } else if (key == nudge_key) {
    lane.nudged = parse_flag(key, value, "the start differs by one rounding");
  } else if (key == difference_key) {
    lane.shows_difference = parse_flag(key, value, "the view shows the difference from the first lane");
  } else if (const Parameter* parameter = find_parameter(info.parameters, key)) {
    lane.parameters[parameter->id] = parameter->parse(value);
  } else {
    throw InputError(
        "A lane has no key \"{}\"{}", key,
        did_you_mean(key, lane_keys(info),
                     ": use kernel, backend, nudge, difference or the id of a parameter (\"perturb list\" shows "
                     "them)."));
  }
}

// "Precision: Single (FP32)"
Message parameter_title(const Parameter& parameter, double value) {
  const auto index = static_cast<std::size_t>(value);
  const Message shown = parameter.kind == ValueKind::choice && index < parameter.choices.size()
                            ? Message(parameter.choices[index].label)
                            : Message::value(parameter.format(value));
  return Message("{}: {}", Message(parameter.label), shown);
}

}  // namespace

std::vector<std::string> lane_keys(const SimulationInfo& info) {
  std::vector<std::string> keys = ids_of(info.parameters);
  keys.insert(keys.begin(), {"kernel", "backend", nudge_key, difference_key});
  return keys;
}

Lane parse_lane(const std::string& text, const SimulationInfo& info) {
  Lane lane;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t sign = part.find('=');
    if (sign == std::string::npos || sign == 0)
      throw InputError("A lane cannot be \"{}\": it must be key=value, such as kernel={}, several separated by commas.",
                       text, info.kernels.empty() ? std::string("auto") : info.kernels.front().id);
    set_in_lane(lane, part.substr(0, sign), part.substr(sign + 1), info);
    begin = end + 1;
  }
  return lane;
}

std::string text_of(const Lane& lane, const SimulationInfo& info) {
  std::string text;
  const auto add = [&](const std::string& key, const std::string& value) {
    text += (text.empty() ? "" : ",") + key + "=" + value;
  };
  if (!lane.kernel.empty()) add("kernel", lane.kernel);
  if (!lane.backend.empty()) add("backend", lane.backend);
  for (const auto& [id, value] : lane.parameters)
    if (const Parameter* parameter = find_parameter(info.parameters, id)) add(id, parameter->format(value));
  if (lane.nudged) add(nudge_key, "1");
  if (lane.shows_difference) add(difference_key, "1");
  if (text.empty()) add(nudge_key, "0");
  return text;
}

Message title_of(const Lane& lane, const SimulationInfo& info) {
  Message title;
  const auto add = [&](const Message& part) { title = title.empty() ? part : Message("{}, {}", title, part); };
  if (lane.kernel == "auto")
    add("Automatic");
  else if (!lane.kernel.empty())
    add(info.kernels[kernel_index(info, lane.kernel)].title);
  if (!lane.backend.empty()) add(lane.backend == "cpu" ? "CPU" : "GPU");
  for (const auto& [id, value] : lane.parameters)
    if (const Parameter* parameter = find_parameter(info.parameters, id)) add(parameter_title(*parameter, value));
  if (lane.nudged) add("One rounding apart");
  if (title.empty()) title = "As opened";
  return lane.shows_difference ? Message("Difference: {}", title) : title;
}

void require_lane_count(std::size_t count) {
  if (count == 0 || (count >= min_lanes && count <= max_lanes)) return;
  if (count < min_lanes)
    throw InputError("A race needs at least two lanes, and there is one. Add another one, such as --lane nudge=0.");
  throw InputError("A race has at most {} lanes, and {} are given. Omit some.", max_lanes, count);
}

std::vector<Viewport> lane_areas(const Viewport& view, std::size_t count) {
  const int rows = count > 2 ? 2 : 1;
  const int width = std::max(1, (view.width - lane_gap) / 2),
            height = rows == 1 ? view.height : std::max(1, (view.height - lane_gap) / 2);
  std::vector<Viewport> areas;
  for (std::size_t k = 0; k < count; ++k) {
    const bool right = k % 2 == 1, top = k / 2 == 0;
    areas.push_back(
        {view.x + (right ? view.width - width : 0), view.y + (top ? view.height - height : 0), width, height});
  }
  return areas;
}

}  // namespace perturb
