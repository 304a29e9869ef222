#include "cuda/fibers/actions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/action.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/model/state.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

namespace {

ValueInfo place(const char* id) {
  return real_value(id, id, "length", "", must_be_given, -1e6, 1e6,
                    "In half fiber lengths; the start is centred at 0.");
}
ValueInfo part(const char* id, double initial, const char* help) {
  return real_value(id, id, "", "", initial, -1e6, 1e6, help);
}
ValueInfo number(const char* id, const char* label, double initial, double low, double high, const char* help) {
  ValueInfo info = real_value(id, label, "", "", initial, low, high, help);
  info.kind = ValueKind::integer;
  return info;
}
ValueInfo count(double initial) {
  return number("count", "Fibers", initial, 1, max_fibers, "Number of fibers in a burst.");
}
ValueInfo radius(double initial) {
  ValueInfo info =
      real_value("radius", "Radius", "length", "R", initial, 0.1, 1000, "Radius of the ball that the burst fills.");
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo strength() {
  ValueInfo info = real_value("strength", "Strength", "weight/length", "", 20, 0.1, 1000,
                              "Force on the fluid per length unit of the drag, in fiber weights.");
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo length() {
  ValueInfo info = real_value("length", "Length", "", "", 1, min_half_length, max_half_length,
                              "Length as a multiple of the usual two length units. Radius and weight per length unit "
                              "are those of the other fibers.");
  info.scale = Scale::logarithmic;
  return info;
}
const char* const direction = "Direction of the fiber; need not have length one.";

std::vector<ActionKind> make_kinds() {
  return {
      {.id = "pull",
       .label = "Pull",
       .help = "Applies a point force to the fluid until it is released.",
       .fields = {place("x"), place("y"), place("z"), part("fx", 0, "Force in fiber weights."),
                  part("fy", 0, "Force in fiber weights."), part("fz", 0, "Force in fiber weights.")}},
      {.id = "let-go", .label = "Let go", .help = "Ends the pull.", .fields = {}},
      {.id = "fiber",
       .label = "Drop a fiber",
       .help = "Adds a fiber.",
       .fields = {place("x"), place("y"), place("z"), part("tx", 0, direction), part("ty", 0, direction),
                  part("tz", 1, direction), length()}},
      {.id = "burst",
       .label = "Burst",
       .help = "Adds a ball of fibers.",
       .fields = {place("x"), place("y"), place("z"), count(20), radius(1.5)}},
      {.id = "new-cloud",
       .label = "New cloud",
       .help = "Removes all fibers and makes a new ball.",
       .fields = {part("x", 0, "Its centre."), part("y", 0, "Its centre."), part("z", 0, "Its centre."), count(300),
                  radius(6)}},
      {.id = "turn",
       .label = "Turn a fiber",
       .help = "Changes the direction of a fiber.",
       .fields = {number("fiber", "Fiber", must_be_given, 0, max_fibers, "Number of the fiber, counted from 0."),
                  part("tx", 0, direction), part("ty", 0, direction), part("tz", 1, direction)}},
      {.id = "choose",
       .label = "Choose a fiber",
       .help = "Marks a fiber; -1: none.",
       .fields = {number("fiber", "Fiber", -1, -1, max_fibers, "Its number.")}},
  };
}

std::vector<Tool> make_tools() {
  ValueInfo burst_count = count(20);
  burst_count.maximum = 500;
  ValueInfo burst_radius = radius(1.5);
  burst_radius.maximum = 20;
  ValueInfo drop_length = length();
  drop_length.minimum = 0.2;
  drop_length.maximum = 5;
  return {
      {.id = "pull",
       .label = "Pull",
       .help = "Drag: pull the fluid under the pointer. Right: drop a fiber.",
       .brush = {strength()}},
      {.id = "drop",
       .label = "Drop",
       .help = "Left: drop a fiber. Right: drop a burst of fibers. Right with Shift: add a new cloud.",
       .brush = {burst_count, burst_radius, drop_length}},
      {.id = "turn",
       .label = "Turn",
       .help = "Left: choose the fiber under the pointer and drag to turn it. Right: choose no fiber.",
       .brush = {}},
  };
}

}  // namespace

const std::vector<ActionKind>& action_kinds() {
  static const std::vector<ActionKind> kinds = make_kinds();
  return kinds;
}

const std::vector<Tool>& tools() {
  static const std::vector<Tool> tools = make_tools();
  return tools;
}

std::vector<Action> fibers_interpret(const Gesture& g, const GestureContext& context) {
  const PictureViews seen = context.view_state.views(context.parameters);
  const Vector3<double> center = context.view_state.center();
  const int view = seen.view_at(g.start_x);
  const auto action = [](const char* kind, std::map<std::string, double> numbers) {
    return Action{kind, std::move(numbers), "", nullptr};
  };
  const auto at = [&](Vector3<double> p) {
    return std::map<std::string, double>{{"x", center.x + p.x}, {"y", center.y + p.y}, {"z", center.z + p.z}};
  };
  const Vector3<double> here = seen.point_at(view, g.x, g.y), start = seen.point_at(view, g.start_x, g.start_y);
  const bool press = g.phase == Gesture::Phase::press, left = g.button == Gesture::Button::left;
  const auto nearest = [&] {
    return context.view_state.fiber_at(g.x, g.y, context.state.placement(), context.parameters);
  };
  const auto drop = [&] {
    const Vector3<double> t = random_direction(context.seed, 7001 + static_cast<std::uint64_t>(context.state.fibers),
                                               static_cast<std::uint64_t>(context.step));
    std::map<std::string, double> numbers = at(here);
    numbers["tx"] = t.x;
    numbers["ty"] = t.y;
    numbers["tz"] = t.z;
    const double length = g.setting("length", 1);
    if (length != 1) numbers["length"] = length;
    return action("fiber", numbers);
  };
  if (g.tool == "pull") {
    if (!left) return press ? std::vector<Action>{drop()} : std::vector<Action>{};
    if (g.phase == Gesture::Phase::release) return {action("let-go", {})};
    const double strength = g.setting("strength", 20);
    const Vector3<double> drag = here - start;
    std::map<std::string, double> numbers = at(here);
    numbers["fx"] = strength * drag.x;
    numbers["fy"] = strength * drag.y;
    numbers["fz"] = strength * drag.z;
    return {action("pull", numbers)};
  }
  if (g.tool == "drop") {
    if (!press) return {};
    const double count = std::round(g.setting("count", 20)), radius = g.setting("radius", 1.5);
    if (left) return {drop()};
    std::map<std::string, double> numbers = at(g.shift ? Vector3<double>{0, 0, 0} : here);
    if (g.shift) {
      numbers["count"] = std::min<double>(count * 15, max_fibers);
      numbers["radius"] = 4 * radius;
      return {action("new-cloud", numbers)};
    }
    numbers["count"] = count;
    numbers["radius"] = radius;
    return {action("burst", numbers)};
  }
  if (g.tool == "turn") {
    if (!left) return press ? std::vector<Action>{action("choose", {{"fiber", -1}})} : std::vector<Action>{};
    if (press) return {action("choose", {{"fiber", static_cast<double>(nearest())}})};
    if (g.phase == Gesture::Phase::release || context.chosen < 0) return {};
    // The fiber points from its centre to the pointer; its component towards the viewer is unchanged.
    const Vector3<double> x = context.state.position_of(context.chosen), t = context.state.direction_of(context.chosen);
    const OrbitAxes& e = seen.axes[view];
    const Vector3<double> own = x - center, to = here - own;
    const double a = dot(to, e.right), b = dot(to, e.up), length = std::hypot(a, b);
    if (length < 1e-6) return {};
    const double depth = std::clamp(dot(t, e.away), -0.95, 0.95), flat = std::sqrt(1 - depth * depth);
    const Vector3<double> direction = add_scaled(
        add_scaled(Vector3<double>{depth * e.away.x, depth * e.away.y, depth * e.away.z}, flat * a / length, e.right),
        flat * b / length, e.up);
    return {action("turn", {{"fiber", static_cast<double>(context.chosen)},
                            {"tx", direction.x},
                            {"ty", direction.y},
                            {"tz", direction.z}})};
  }
  return {};
}

Vector3<double> action_place(const Action& action) { return {action.get("x"), action.get("y"), action.get("z")}; }
Vector3<double> action_direction(const Action& action) {
  Vector3<double> t{action.get("tx"), action.get("ty"), action.get("tz")};
  const double length = std::sqrt(dot(t, t));
  if (!(length > 1e-12))
    throw InputError("A fiber needs a direction: tx, ty and tz of {} are all zero. Set one of them.", action.kind);
  return {t.x / length, t.y / length, t.z / length};
}
int action_number(const Action& action, int fibers) {
  const int m = static_cast<int>(action.get("fiber"));
  if (m >= fibers) throw InputError("No fiber {}: there are {}, counted from 0.", m, fibers);
  return m;
}
void require_room_for_fibers(int fibers, int more) {
  if (fibers + more > max_fibers)
    throw InputError("Cannot add fibers: at most {} are allowed, and there are {}.", max_fibers, fibers);
}

}  // namespace perturb::fibers
