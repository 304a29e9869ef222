// What the mouse means, and what an action does.
#include <algorithm>
#include <cmath>

#include "cuda/core/check.h"
#include "cuda/fibers/fibers_actions.h"
#include "cuda/fibers/fibers_run.h"

namespace perturb {

std::vector<Action> FiberRun::interpret(const Gesture& g) const {
  const FiberViewsOfPicture seen = views();
  const int view = seen.view_at(g.start_x);
  const auto action = [](const char* kind, std::map<std::string, double> numbers) {
    return Action{kind, std::move(numbers), "", nullptr};
  };
  // Actions hold places in space, not in the picture, so that a replay needs no picture.
  const auto at = [&](Vector3<double> p) {
    return std::map<std::string, double>{{"x", center_.x + p.x}, {"y", center_.y + p.y}, {"z", center_.z + p.z}};
  };
  const Vector3<double> here = seen.point_at(view, g.x, g.y), start = seen.point_at(view, g.start_x, g.start_y);
  const bool press = g.phase == Gesture::Phase::press, left = g.button == Gesture::Button::left;
  const auto drop = [&] {
    const Vector3<double> t =
        random_direction(seed_, 7001 + static_cast<std::uint64_t>(count_), static_cast<std::uint64_t>(steps_));
    std::map<std::string, double> numbers = at(here);
    numbers["tx"] = t.x, numbers["ty"] = t.y, numbers["tz"] = t.z;
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
    numbers["fx"] = strength * drag.x, numbers["fy"] = strength * drag.y, numbers["fz"] = strength * drag.z;
    return {action("pull", numbers)};
  }
  if (g.tool == "drop") {
    if (!press) return {};
    const double count = std::round(g.setting("count", 20)), radius = g.setting("radius", 1.5);
    if (left) return {drop()};
    std::map<std::string, double> numbers = at(g.shift ? Vector3<double>{0, 0, 0} : here);
    if (g.shift) {
      numbers["count"] = std::min<double>(count * 15, most_fibers), numbers["radius"] = 4 * radius;
      return {action("new-cloud", numbers)};
    }
    numbers["count"] = count, numbers["radius"] = radius;
    return {action("burst", numbers)};
  }
  if (g.tool == "turn") {
    if (!left) return press ? std::vector<Action>{action("choose", {{"fiber", -1}})} : std::vector<Action>{};
    if (press) return {action("choose", {{"fiber", static_cast<double>(fiber_at(g.x, g.y))}})};
    if (g.phase == Gesture::Phase::release || chosen_ < 0) return {};
    // The fiber points from its centre to the pointer, and keeps what it had towards the eye.
    double x[3], t[3];
    backend().copy_to_host(x, arrays_->x.data() + 3 * chosen_, sizeof x);
    backend().copy_to_host(t, arrays_->t.data() + 3 * chosen_, sizeof t);
    const OrbitAxes& e = seen.axes[view];
    const Vector3<double> own{x[0] - center_.x, x[1] - center_.y, x[2] - center_.z}, to = here - own;
    const double a = dot(to, e.right), b = dot(to, e.up), length = std::hypot(a, b);
    if (length < 1e-6) return {};
    const double depth = std::clamp(dot(Vector3<double>{t[0], t[1], t[2]}, e.away), -0.95, 0.95),
                 flat = std::sqrt(1 - depth * depth);
    const Vector3<double> direction = add_scaled(
        add_scaled(Vector3<double>{depth * e.away.x, depth * e.away.y, depth * e.away.z}, flat * a / length, e.right),
        flat * b / length, e.up);
    return {action(
        "turn",
        {{"fiber", static_cast<double>(chosen_)}, {"tx", direction.x}, {"ty", direction.y}, {"tz", direction.z}})};
  }
  return {};
}

Vector3<double> FiberRun::place_of(const Action& action) { return {action.get("x"), action.get("y"), action.get("z")}; }
Vector3<double> FiberRun::direction_of(const Action& action) {
  Vector3<double> t{action.get("tx"), action.get("ty"), action.get("tz")};
  const double length = std::sqrt(dot(t, t));
  if (!(length > 1e-12))
    throw InputError("A fiber needs a direction: tx, ty and tz of " + action.kind + " are all zero.");
  return {t.x / length, t.y / length, t.z / length};
}
void FiberRun::require_room_for(int more) const {
  if (count_ + more > most_fibers)
    throw InputError("There can be at most " + std::to_string(most_fibers) + " fibers; there are " +
                     std::to_string(count_) + ".");
}
int FiberRun::fiber_of(const Action& action) const {
  const int m = static_cast<int>(action.get("fiber"));
  if (m >= count_)
    throw InputError("There is no fiber " + std::to_string(m) + ": there are " + std::to_string(count_) +
                     ", counted from 0.");
  return m;
}
void FiberRun::require_length(double half) const {
  require_slender(parameters_, half, "The new fiber", "Choose a longer one, or a smaller slenderness.");
}
// `to` with so many fibers more, in a ball about the action's place.
void FiberRun::add_ball(FiberPlacement to, int count, const Action& action, double radius, double min_distance) {
  add_fiber_ball(to, count, place_of(action), radius, min_distance, seed_, 100 + drops_,
                 draw_fiber_lengths(parameters_, count, seed_, 100 + drops_));
  adopt(to);
  ++drops_;
}

void FiberRun::act(const Action& action) {
  static constexpr ActionHandler<FiberRun> handlers[] = {
      {"pull",
       [](FiberRun& f, const Action& a) {
         f.pull_.at = place_of(a), f.pull_.force = {a.get("fx"), a.get("fy"), a.get("fz")};
         f.forget_velocities();
       }},
      {"let-go",
       [](FiberRun& f, const Action&) {
         if (f.pull_.any()) f.forget_velocities();
         f.pull_.force = {0, 0, 0};
       }},
      {"fiber",
       [](FiberRun& f, const Action& a) {
         f.require_room_for(1);
         FiberPlacement now = f.placement();
         f.require_length(a.get("length"));
         now.add(place_of(a), direction_of(a), a.get("length"));
         f.adopt(now);
       }},
      {"burst",
       [](FiberRun& f, const Action& a) {
         const int count = static_cast<int>(a.get("count"));
         f.require_room_for(count);
         f.add_ball(f.placement(), count, a, a.get("radius"), std::min(f.parameters_.min_distance, 0.05));
       }},
      {"new-cloud",
       [](FiberRun& f, const Action& a) {
         f.add_ball({}, static_cast<int>(a.get("count")), a, a.get("radius"), f.parameters_.min_distance);
         f.ring_break_.begin();
       }},
      {"turn",
       [](FiberRun& f, const Action& a) {
         const int m = f.fiber_of(a);
         const Vector3<double> t = direction_of(a);
         f.backend().copy_from_host(f.arrays_->t.data() + 3 * m, &t, sizeof t);
         f.has_previous_ = false;
         f.forget_velocities();
       }},
      {"choose", [](FiberRun& f, const Action& a) { f.chosen_ = f.fiber_of(a); }},
  };
  act_by(handlers, *this, action);
}

}  // namespace perturb
