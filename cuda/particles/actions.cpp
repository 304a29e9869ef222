#include "cuda/particles/actions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/core/simulation/unit_names.h"

namespace perturb::particles {

namespace {

ValueInfo reach(double initial) {
  ValueInfo info =
      real_value("radius", "Radius", "length", "", initial, 0.01, 1e6, "How far the kick reaches from the pointer.");
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo speed(const char* id, const char* label, double initial, const char* help) {
  return real_value(id, label, "length/time", "", initial, -1e6, 1e6, help);
}
ValueInfo number_of_discs(double initial) {
  ValueInfo info = real_value("discs", "Discs", "", "", initial, 1, 100000,
                              "Number of discs to add, as far as they fit in the circle.");
  info.kind = ValueKind::integer;
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo disc_radius() {
  ValueInfo info = real_value("disc_radius", "Their radius", "length", "", 0, 0, 1e6,
                              "Radius of the new discs; 0: the same as the others.");
  info.zero = "as the others";
  return info;
}
ValueInfo disc_mass() {
  return real_value("disc_mass", "Their mass", "mass", "", 1, 1e-3, 1e9, "Mass of the new discs.");
}

ValueInfo disc_number() {
  ValueInfo info = real_value("disc", "Disc", "", "", -1, -1, 1e9, "Number of the disc; -1: the nearest.");
  info.kind = ValueKind::integer;
  return info;
}

constexpr double heating =
    1.2;  // factor of the temperature that Heat up multiplies the temperature by, and Cool down divides it by

ValueInfo inside_box(const char* id, const char* unit, const char* help) {
  return real_value(id, id, unit, "", must_be_given, 0, 1, help);
}
ActionKind plate(const char* id, const char* label, double temperature, const char* help) {
  ValueInfo degrees = real_value("temperature", "Temperature", "mass·length²/time²", "", temperature, 1e-3, 100,
                                 "Temperature kT of this part of the floor. Needs exact collisions.");
  degrees.scale = Scale::logarithmic;
  return {.id = id,
          .label = label,
          .help = help,
          .fields = {inside_box("x", unit_of_width, "Middle of the heated or cooled part."),
                     real_value("width", "Width", unit_of_width, "", 0.25, 0.02, 1, "Width of this part of the floor."),
                     degrees}};
}

std::vector<ActionKind> make_kinds() {
  const ValueInfo across = inside_box("x", unit_of_width, "Distance from the left side of the domain.");
  const ValueInfo up = inside_box("y", unit_of_height, "Distance from the bottom side of the domain.");
  ValueInfo position = real_value("x", "Position", unit_of_width, "", must_be_given, 0.02, 1,
                                  "Where the wall goes. It stops earlier if the discs need the room.");
  std::vector<ActionKind> kinds = {
      {.id = "kick",
       .label = "Kick",
       .help = "Pushes all discs away from a point by strength·exp(-(d/radius)²). A negative strength pulls them in.",
       .fields = {position_x(), position_y(), reach(25),
                  speed("strength", "Strength", 2, "Velocity at the point itself.")}},
      {.id = "grab",
       .label = "Grab",
       .help = "Stops the disc nearest to a point, if it is within reach.",
       .fields = {position_x(), position_y(),
                  real_value(
                      "reach", "Reach", "length", "", 1e9, 0, 1e9,
                      "Largest distance of the point from the edge of the disc; 0: the point must be on the disc.")}},
      {.id = "throw",
       .label = "Throw",
       .help = "Gives the disc nearest to a point a velocity.",
       .fields = {position_x(), position_y(), speed("vx", "To the right", must_be_given, "Velocity to the right."),
                  speed("vy", "Upwards", must_be_given, "Velocity upwards."), disc_number()}},
      {.id = "add",
       .label = "Add discs",
       .help = "Adds discs at random positions in a circle without overlap. Fails if none fits.",
       .fields = {position_x(), position_y(), reach(25), number_of_discs(20),
                  speed("speed", "Speed", 0, "Speed of the discs, each in a random direction."), disc_radius(),
                  disc_mass()}},
      {.id = "reverse",
       .label = "Reverse",
       .help = "Reverses all velocities. With exact collisions the gas returns to where it came from, as long as "
               "rounding allows.",
       .fields = {}},
      {.id = "heat",
       .label = "Change the temperature",
       .help = "Multiplies the temperature of the gas by a factor: all speeds change by its square root.",
       .fields = {real_value("factor", "Factor", "", "", heating, 0.01, 100, "New temperature over the present one.")}},
      {.id = "remove",
       .label = "Remove discs",
       .help = "Removes the discs in a circle. The last disc stays.",
       .fields = {position_x(), position_y(), reach(25)}},
      {.id = "piston",
       .label = "Right wall",
       .help =
           "Moves the right wall to a position, at the speed of the dragged wall. The gas is compressed or expands.",
       .fields = {position}},
      plate("flame", "Flame", 2, "Heats the floor under the gas: discs that hit it there leave as a hotter gas would."),
      plate("ice", "Ice", 0.1, "Cools the floor under the gas: discs that hit it there leave as a colder gas would."),
      {.id = "thermometer",
       .label = "Thermometer",
       .help = "Measures the temperature of the discs in a circle.",
       .fields = {across, up,
                  real_value("size", "Radius", unit_of_width, "", 0.1, 0.01, 0.5, "Radius of the circle.")}},
  };
  const std::vector<std::string> objects = {"piston", "flame", "ice", "thermometer"};
  return with_objects(with_lasting(std::move(kinds), objects), objects);
}

std::vector<Tool> make_tools() {
  ValueInfo strength = speed("strength", "Strength", 2, "Speed of the kick at the pointer.");
  strength.minimum = 0;
  strength.maximum = 100;
  ValueInfo speed_brush = speed("speed", "Speed", 0, "Speed of the new discs.");
  speed_brush.minimum = 0;
  speed_brush.maximum = 100;
  ValueInfo radius = reach(25);
  radius.minimum = 0.5;
  radius.maximum = 5000;
  ValueInfo discs = number_of_discs(20);
  discs.maximum = 1000;
  ValueInfo pull = real_value("pull", "Pull", "1/time", "", 0.05, 0, 10, "Speed per length unit of the drag.");
  return {
      {.id = "kick",
       .label = "Kick",
       .help = "Left: kick the discs away. Right: add discs. Drag: keep kicking.",
       .brush = {radius, strength, discs}},
      {.id = "throw",
       .label = "Throw",
       .help = "Left: press on a disc or near it, drag and release to throw it. Right: stop a disc.",
       .brush = {pull}},
      {.id = "add",
       .label = "Add",
       .help = "Left: add discs. Right: remove discs.",
       .brush = {radius, discs, speed_brush}},
      {.id = "heat",
       .label = "Heat up",
       .help = "Heats the whole gas at once: its temperature grows by a fifth.",
       .brush = {},
       .immediate = true},
      {.id = "cool",
       .label = "Cool down",
       .help = "Cools the whole gas at once: its temperature falls by a sixth, which undoes Heat up.",
       .brush = {},
       .immediate = true},
      {.id = "reverse",
       .label = "Reverse",
       .help =
           "Reverses all velocities at once. See how far the gas returns to its start: the plots show the distance.",
       .brush = {},
       .immediate = true},
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

Action plate_action(const std::string& kind, double x, double gas) {
  const double temperature = gas > 0 ? (kind == "flame" ? 4 * gas : gas / 4) : kind == "flame" ? 2 : 0.1;
  return {kind, {{"x", x}, {"temperature", std::clamp(rounded(temperature, 2), 1e-3, 100.0)}}, "", nullptr};
}

std::vector<Action> particles_interpret(const Gesture& g, double width, double height, int held) {
  const auto near = [](double v) { return v >= -2 && v <= 3; };
  if (!near(g.x) || !near(g.y) || !near(g.start_x) || !near(g.start_y)) return {};
  const bool left = g.button == Gesture::Button::left, press = g.phase == Gesture::Phase::press;
  const bool release = g.phase == Gesture::Phase::release;
  const bool inside = g.x >= 0 && g.x <= 1 && g.y >= 0 && g.y <= 1;
  const auto add = [&] {
    return Action{"add",
                  {{"x", g.x},
                   {"y", g.y},
                   {"radius", g.setting("radius", 25)},
                   {"discs", g.setting("discs", 20)},
                   {"speed", g.setting("speed", 0)}},
                  "",
                  nullptr};
  };
  if (g.tool == "kick") {
    if (left && !release)
      return {{"kick",
               {{"x", g.x}, {"y", g.y}, {"radius", g.setting("radius", 25)}, {"strength", g.setting("strength", 2)}},
               "",
               nullptr}};
    if (!left && press && inside) return {add()};
  } else if (g.tool == "throw") {
    // The nearest disc, if the pointer is on it or at most 24 pixels off.
    if (press) return {{"grab", {{"x", g.x}, {"y", g.y}, {"reach", std::min(24 * g.pixel, 1e9)}}, "", nullptr}};
    if (left && release && held >= 0) {
      // The disc that was under the pointer at the press, wherever collisions have moved it since.
      const double pull = g.setting("pull", 0.05);
      return {{"throw",
               {{"x", g.start_x},
                {"y", g.start_y},
                {"vx", pull * (g.x - g.start_x) * width},
                {"vy", pull * (g.y - g.start_y) * height},
                {"disc", held}},
               "",
               nullptr}};
    }
  } else if (g.tool == "heat" || g.tool == "cool") {
    if (left && press) return {{"heat", {{"factor", g.tool == "heat" ? heating : 1 / heating}}, "", nullptr}};
  } else if (g.tool == "reverse") {
    if (left && press && inside) return {{"reverse", {}, "", nullptr}};
  } else if (g.tool == "add" && press && inside) {
    if (left) return {add()};
    return {{"remove", {{"x", g.x}, {"y", g.y}, {"radius", g.setting("radius", 25)}}, "", nullptr}};
  }
  return {};
}

}  // namespace perturb::particles
