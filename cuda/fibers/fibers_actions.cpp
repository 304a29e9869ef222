#include "cuda/fibers/fibers_actions.h"

#include "cuda/core/places.h"

namespace perturb {

namespace {

ValueInfo place(const char* id) {
  return real_value(id, id, "length", "", must_be_given, -1e6, 1e6, "In half fiber lengths; the start lies around 0.");
}
ValueInfo part(const char* id, double initial, const char* help) {
  return real_value(id, id, "", "", initial, -1e6, 1e6, help);
}
ValueInfo number(const char* id, const char* label, double initial, double low, double high, const char* help) {
  ValueInfo info = real_value(id, label, "", "", initial, low, high, help);
  info.kind = ValueKind::integer;
  return info;
}
ValueInfo count(double initial) { return number("count", "Fibers", initial, 1, most_fibers, "How many fibers."); }
ValueInfo radius(double initial) {
  ValueInfo info = real_value("radius", "Radius", "length", "R", initial, 0.1, 1000, "Of the ball that they lie in.");
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo strength() {
  ValueInfo info =
      real_value("strength", "Strength", "weight/length", "", 20, 0.1, 1000,
                 "Force on the fluid for each length unit that the pointer was dragged, in fiber weights.");
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo length() {
  ValueInfo info = real_value("length", "Length", "", "", 1, least_half_length, most_half_length,
                              "Over that of the usual fiber, two length units. Its radius and its weight for each "
                              "length unit are those of the others.");
  info.scale = Scale::logarithmic;
  return info;
}
const char* const direction = "The fiber's direction; need not be of length one.";

}  // namespace

std::vector<ActionKind> fiber_action_kinds() {
  return {
      {"pull",
       "Pull",
       "A point force on the fluid, until it is let go.",
       {place("x"), place("y"), place("z"), part("fx", 0, "Force in fiber weights."),
        part("fy", 0, "Force in fiber weights."), part("fz", 0, "Force in fiber weights.")}},
      {"let-go", "Let go", "Ends the pull.", {}},
      {"fiber",
       "Drop a fiber",
       "Adds a fiber.",
       {place("x"), place("y"), place("z"), part("tx", 0, direction), part("ty", 0, direction),
        part("tz", 1, direction), length()}},
      {"burst", "Burst", "Adds a ball of fibers.", {place("x"), place("y"), place("z"), count(20), radius(1.5)}},
      {"new-cloud",
       "New cloud",
       "Takes all fibers away and makes a new ball.",
       {part("x", 0, "Its centre."), part("y", 0, "Its centre."), part("z", 0, "Its centre."), count(300), radius(6)}},
      {"turn",
       "Turn a fiber",
       "Gives a fiber another direction.",
       {number("fiber", "Fiber", must_be_given, 0, most_fibers, "Its number, counted from 0."),
        part("tx", 0, direction), part("ty", 0, direction), part("tz", 1, direction)}},
      {"choose",
       "Choose a fiber",
       "Marks a fiber; -1: none.",
       {number("fiber", "Fiber", -1, -1, most_fibers, "Its number.")}},
  };
}

std::vector<Tool> fiber_tools() {
  ValueInfo burst_count = count(20);
  burst_count.maximum = 500;
  ValueInfo burst_radius = radius(1.5);
  burst_radius.maximum = 20;
  ValueInfo drop_length = length();
  drop_length.minimum = 0.2, drop_length.maximum = 5;
  return {
      {"pull", "Pull", "Drag: a force pulls the fluid under the pointer. Right: drop a fiber.", {strength()}},
      {"drop",
       "Drop",
       "Left: drop a fiber. Right: a burst. Right with Shift: a whole new cloud.",
       {burst_count, burst_radius, drop_length}},
      {"turn", "Turn", "Left: choose the fiber under the pointer and turn it by dragging. Right: none.", {}},
  };
}

}  // namespace perturb
