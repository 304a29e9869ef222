#include "cuda/core/simulation/positions.h"

namespace perturb {

namespace {
constexpr double lowest = -2, highest = 3;
bool is_near(double fraction) { return fraction >= lowest && fraction <= highest; }
}  // namespace

ValueInfo position_x(const char* id) {
  return real_value(id, "x", "", "", must_be_given, lowest, highest, "Across: 0 is the left side, 1 the right one.");
}
ValueInfo position_y(const char* id) {
  return real_value(id, "y", "", "", must_be_given, lowest, highest, "Up: 0 is the bottom side, 1 the top one.");
}
bool is_near_domain(const Gesture& g) {
  return is_near(g.x) && is_near(g.y) && is_near(g.previous_x) && is_near(g.previous_y);
}

ValueInfo flag_value(const char* id, const char* label, const char* help) {
  ValueInfo info = real_value(id, label, "", "", 0, 0, 1, help);
  info.kind = ValueKind::boolean;
  return info;
}
ValueInfo erase_value() { return flag_value("erase", "Erase", "Take the wall away instead of putting it up."); }

Action stroke(const char* kind, const Gesture& g) {
  return {kind, {{"x0", g.previous_x}, {"y0", g.previous_y}, {"x1", g.x}, {"y1", g.y}}, "", nullptr};
}

}  // namespace perturb
