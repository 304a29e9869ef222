#include "cuda/core/simulation/action.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/unit_names.h"

namespace perturb {

std::vector<ActionKind> with_lasting(std::vector<ActionKind> kinds, const std::vector<std::string>& lasting) {
  for (const std::string& id : lasting) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const ActionKind& kind) { return kind.id == id; });
    if (found == kinds.end()) throw Error("internal: no kind of action is called {}", id);
    found->lasting = true;
  }
  return kinds;
}

const ActionKind* find_kind(const std::vector<ActionKind>& kinds, const std::string& id) {
  for (const ActionKind& kind : kinds)
    if (kind.id == id) return &kind;
  return nullptr;
}

void check_action(const Action& action, const std::vector<ActionKind>& kinds) {
  const ActionKind* kind = find_kind(kinds, action.kind);
  if (!kind) throw InputError("There is no action \"{}\"{}", action.kind, did_you_mean(action.kind, ids_of(kinds)));

  for (const ValueInfo& field : kind->fields) {
    const auto given = action.numbers.find(field.id);
    if (given == action.numbers.end()) {
      const bool stays = kind->changes_object && field.id != kind->fields.front().id;
      if (std::isnan(field.initial) && field.as_parameter.empty() && !stays)
        throw InputError("The action \"{}\" needs {}. Add it.", action.kind, field.id);
      continue;
    }
    try {
      field.check(given->second);
    } catch (const InputError& error) {
      throw InputError("In the action \"{}\", {}", action.kind, error.message());
    }
  }
  const std::vector<std::string> ids = ids_of(kind->fields);
  for (const auto& [id, value] : action.numbers) {
    bool known = false;
    for (const std::string& name : ids) known = known || name == id;
    if (!known) throw InputError("The action \"{}\" has no \"{}\"{}", action.kind, id, did_you_mean(id, ids));
  }
  if (!kind->takes_image) return;
  if (!action.image) throw InputError("The action \"{}\" needs an image file.", action.kind);
  const GreyImage& image = *action.image;
  if (image.width <= 0 || image.height <= 0 ||
      image.values.size() != static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height))
    throw InputError("The image \"{}\" is empty.", action.file);
}

double Action::get(const std::string& id) const {
  const auto found = numbers.find(id);
  if (found == numbers.end()) throw Error("internal: the action {} has no number {}", kind, id);
  return found->second;
}

Action complete_action(const Action& action, const std::vector<ActionKind>& kinds,
                       const std::function<double(const std::string& id)>& parameter) {
  check_action(action, kinds);
  Action complete = action;
  if (find_kind(kinds, action.kind)->changes_object) return complete;
  for (const ValueInfo& field : find_kind(kinds, action.kind)->fields) {
    if (complete.numbers.contains(field.id)) continue;
    complete.numbers[field.id] = field.as_parameter.empty() ? field.initial : parameter(field.as_parameter);
  }
  return complete;
}

namespace {
constexpr double lowest = -2, highest = 3;
bool is_near(double fraction) { return fraction >= lowest && fraction <= highest; }
}  // namespace

ValueInfo position_x(const char* id) {
  const std::string_view which = id;
  return real_value(id,
                    which == "x0"   ? "Start x"
                    : which == "x1" ? "End x"
                                    : "x",
                    unit_of_width, "", must_be_given, lowest, highest, "Distance from the left side of the domain.");
}
ValueInfo position_y(const char* id) {
  const std::string_view which = id;
  return real_value(id,
                    which == "y0"   ? "Start y"
                    : which == "y1" ? "End y"
                                    : "y",
                    unit_of_height, "", must_be_given, lowest, highest, "Distance from the bottom side of the domain.");
}
bool is_near_domain(const Gesture& g) {
  return is_near(g.x) && is_near(g.y) && is_near(g.previous_x) && is_near(g.previous_y);
}

ValueInfo flag_value(const char* id, const char* label, const char* help) {
  ValueInfo info = real_value(id, label, "", "", 0, 0, 1, help);
  info.kind = ValueKind::boolean;
  return info;
}
ValueInfo erase_value() { return flag_value("erase", "Erase", "Removes the wall instead of drawing it."); }

Action stroke(const char* kind, const Gesture& g) {
  return {kind, {{"x0", g.previous_x}, {"y0", g.previous_y}, {"x1", g.x}, {"y1", g.y}}, "", nullptr};
}

}  // namespace perturb
