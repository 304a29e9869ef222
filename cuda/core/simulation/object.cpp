#include "cuda/core/simulation/object.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/backend/check.h"

namespace perturb {

void repeat_outline(SceneObject& object, const RepeatingGrid& grid) {
  const std::vector<CurvePoint> own = object.outline;
  if (own.empty()) return;
  const auto [left, right] = std::minmax_element(own.begin(), own.end(), [](auto p, auto q) { return p.x < q.x; });
  const auto [low, high] = std::minmax_element(own.begin(), own.end(), [](auto p, auto q) { return p.y < q.y; });
  Copies copies = grid.copies_of(static_cast<float>(left->x * grid.width), static_cast<float>(right->x * grid.width),
                                 static_cast<float>(low->y * grid.height), static_cast<float>(high->y * grid.height));
  // A shape that reaches round is whole already.
  if (right->x - left->x >= 1) copies.left = copies.right = 0;
  if (high->y - low->y >= 1) copies.low = copies.high = 0;
  for (int b = copies.low; b <= copies.high; ++b)
    for (int a = copies.left; a <= copies.right; ++a) {
      if (a == 0 && b == 0) continue;
      object.outline.push_back({no_value, no_value});
      for (const CurvePoint& p : own) object.outline.push_back({p.x + a, p.y + b});
    }
}

std::string change_kind_of(const std::string& kind) { return "change-" + kind; }

std::vector<ActionKind> with_objects(std::vector<ActionKind> kinds, const std::vector<std::string>& objects) {
  ValueInfo object = real_value(object_field, "Object", "", "", must_be_given, 1, 1e9,
                                "Number of the object: 1 is the one that was placed first.");
  object.kind = ValueKind::integer;
  for (const std::string& id : objects) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const ActionKind& kind) { return kind.id == id; });
    if (found == kinds.end()) throw Error("internal: no kind of action is called {}", id);
    found->creates_object = true;
    ActionKind change{.id = change_kind_of(id),
                      .label = found->label,
                      .help = "Changes numbers of an object. Those that are not given stay.",
                      .fields = found->fields,
                      .visible_in = found->visible_in,
                      .visible_with = found->visible_with,
                      .lasting = found->lasting,
                      .changes_object = true};
    // An eraser is not an object.
    std::erase_if(change.fields, [](const ValueInfo& field) { return field.id == "erase"; });
    for (ValueInfo& field : change.fields) {
      field.as_parameter.clear();
      field.former.clear();
      field.initial = must_be_given;
    }
    change.fields.insert(change.fields.begin(), object);
    kinds.push_back(std::move(change));
  }
  kinds.push_back({.id = remove_object_kind,
                   .label = "Remove an object",
                   .help = "Removes the object with this number.",
                   .fields = {object},
                   .lasting = true});
  return kinds;
}

const SceneObject* find_object(const std::vector<SceneObject>& objects, int id) {
  for (const SceneObject& object : objects)
    if (object.id == id) return &object;
  return nullptr;
}

const SceneObject& object_of(const Action& action, const std::vector<SceneObject>& objects) {
  const int id = static_cast<int>(action.get(object_field));
  if (const SceneObject* found = find_object(objects, id)) return *found;
  if (objects.empty()) throw InputError("There is no object {}: the scene has no objects.", id);
  std::vector<std::string> ids;
  for (const SceneObject& object : objects) ids.push_back(std::to_string(object.id));
  throw InputError("There is no object {}{}", id, choose_one_of(ids));
}

Action changed(const SceneObject& object, const std::string& number, double value) {
  return {change_kind_of(object.kind), {{object_field, object.id}, {number, value}}, {}, {}};
}

Action removed(const SceneObject& object) { return {remove_object_kind, {{object_field, object.id}}, {}, {}}; }

Action dragged(const SceneObject& object, const ObjectHandle& handle, double dx, double dy, double domain_width,
               double domain_height, const std::vector<ActionKind>& kinds) {
  Action action{change_kind_of(object.kind), {{object_field, object.id}}, {}, {}};
  for (const ObjectHandle::Effect& effect : handle.effects)
    action.numbers[effect.number] = object.numbers.at(effect.number) + effect.per_x * dx + effect.per_y * dy;
  if (!handle.angle.empty() && !object.handles.empty()) {
    const ObjectHandle& middle = object.handles.front();
    const auto direction = [&](double x, double y) {
      return std::atan2((y - middle.y) * domain_height, (x - middle.x) * domain_width) * 180 / std::numbers::pi;
    };
    const double turn = direction(handle.x + dx, handle.y + dy) - direction(handle.x, handle.y);
    // The nearest equal direction between -180 and 180 degrees.
    action.numbers[handle.angle] = std::remainder(object.numbers.at(handle.angle) + turn, 360.0);
  }
  const ActionKind* kind = find_kind(kinds, object.kind);
  if (!kind) throw Error("internal: no kind of action is called {}", object.kind);
  for (const ValueInfo& field : kind->fields) {
    const auto number = action.numbers.find(field.id);
    if (number == action.numbers.end()) continue;
    number->second = std::clamp(number->second, field.minimum, field.maximum);
    if (field.kind == ValueKind::integer) number->second = std::round(number->second);
  }
  return action;
}

CurvePoint free_position(const std::vector<SceneObject>& objects, double x, double y) {
  constexpr double apart = 0.08;
  const auto inside = [](double fraction) { return std::clamp(fraction, 0.1, 0.9); };
  CurvePoint at{inside(x), inside(y)};
  const auto is_free = [&] {
    return std::none_of(objects.begin(), objects.end(), [&](const SceneObject& object) {
      return !object.handles.empty() &&
             std::hypot(object.handles.front().x - at.x, object.handles.front().y - at.y) < 0.5 * apart;
    });
  };
  for (int k = 1; !is_free() && k < 10; ++k) at.y = inside(y + (k % 2 ? 1 : -1) * (k + 1) / 2 * apart);
  return at;
}

}  // namespace perturb
