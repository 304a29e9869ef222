#include "cuda/wave/actions.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/simulation/action.h"

namespace perturb::wave {

namespace {

ValueInfo length(const char* id, const char* label, double initial, double maximum, const char* help) {
  return real_value(id, label, "length", "", initial, 0, maximum, help);
}
ValueInfo droplet_radius(const char* id, const char* label, double initial, double maximum, const char* help) {
  ValueInfo info = length(id, label, initial, maximum, help);
  info.minimum = 0.01;
  return info;
}
ValueInfo factor(const char* id, const char* label, double initial) {
  return real_value(id, label, "", "", initial, min_wave_factor, max_wave_factor,
                    "Wave speed as a multiple of c. Below 1: slower (shallow water, glass). Above 1: faster.");
}
ValueInfo frequency(double initial) {
  return real_value("frequency", "Frequency", "1/time", "", initial, 0, 10,
                    "Periods per time unit; 0 holds the surface still at amplitude·sin(phase). A period needs at least "
                    "two steps, and a wavelength at least two cells.");
}
ValueInfo amplitude(double initial, double range, const char* help) {
  return real_value("amplitude", "Amplitude", "height", "a", initial, -range, range, help);
}
ValueInfo phase() { return real_value("phase", "Phase", "rad", "", 0, -1000, 1000, "Phase of the source at time 0."); }
ValueInfo velocity(const char* id, const char* label) {
  return real_value(id, label, "length/time", "", 0, -100, 100,
                    "Speed of the source. It turns round at a side and passes through a periodic side.");
}
ValueInfo radius_of(const char* id, const char* label) {
  return real_value(id, label, "", "", must_be_given, 1e-4, 10,
                    "Half the size of the ellipse, as a fraction of the domain.");
}
ValueInfo mode_number(const char* id, const char* label) {
  ValueInfo info = real_value(id, label, "", id, 1, 0, 1000,
                              "Half waves between two sides of the same kind, or whole waves between periodic sides.");
  info.kind = ValueKind::integer;
  return info;
}

std::vector<ActionKind> make_kinds() {
  const Parameters defaults;
  return {
      {"droplet",
       "Droplet",
       "A droplet presses the surface down by -a exp(-(r/s)²); a negative amplitude lifts it. If no side is fixed, the "
       "mean height is kept: the other water rises a little.",
       {position_x(), position_y(),
        as_parameter("droplet_radius",
                     droplet_radius("radius", "Radius", defaults.droplet_radius, 200,
                                    "Radius s of the droplet; default: the parameter droplet_radius.")),
        as_parameter("droplet_amplitude",
                     amplitude(defaults.droplet_amplitude, 10,
                               "Depth a of the droplet; default: the parameter droplet_amplitude."))},
       false,
       {"height", "water", "velocity", "surface"}},
      {"wall-line",
       "Wall along a line",
       "A wall keeps the surface at zero and reflects waves.",
       {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
        length("thickness", "Thickness", 4, 1000, "Width of the wall; it covers at least the cells on the line."),
        erase_value()}},
      {"wall-rectangle",
       "Rectangular wall",
       "Fills a rectangle with wall.",
       {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), erase_value(),
        flag_value("outside", "Outside", "Fills everything outside the rectangle.")}},
      {"wall-ellipse",
       "Elliptical wall",
       "Fills an ellipse with wall, or leaves an elliptical room.",
       {position_x(), position_y(), radius_of("radius_x", "Half width"), radius_of("radius_y", "Half height"),
        erase_value(),
        flag_value("outside", "Outside", "Fills everything outside the ellipse: a room with a round wall.")}},
      {"wall-image",
       "Walls from an image",
       "Stretches an image over the tank. Dark areas become wall.",
       {real_value("threshold", "Threshold", "", "", 0.5, 0, 1,
                   "Areas darker than this become wall (0 black, 1 white)."),
        flag_value("invert", "Invert", "Makes bright areas wall instead.")},
       true},
      {"clear-walls", "Clear walls", "Removes all walls.", {}},
      {"speed-disc",
       "Wave speed on a disc",
       "Slower or faster water within a circle.",
       {position_x(), position_y(), length("radius", "Radius", 40, 10000, "Radius of the circle."),
        factor("factor", "Factor", 0.6)}},
      {"speed-line",
       "Wave speed along a line",
       "Slower or faster water along a stroke.",
       {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
        length("thickness", "Thickness", 40, 10000, "Width of the stroke."), factor("factor", "Factor", 0.6)}},
      {"speed-rectangle",
       "Wave speed in a rectangle",
       "Slower or faster water in a rectangle.",
       {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), factor("factor", "Factor", 0.6)}},
      {"speed-ellipse",
       "Wave speed in an ellipse",
       "Slower or faster water in an ellipse: a lens.",
       {position_x(), position_y(), radius_of("radius_x", "Half width"), radius_of("radius_y", "Half height"),
        factor("factor", "Factor", 0.6)}},
      {"speed-gradient",
       "Sloping wave speed",
       "The wave speed changes linearly across the whole tank, as at a beach.",
       {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), factor("from", "From", 1),
        factor("to", "To", 0.4)}},
      {"speed-image",
       "Wave speed from an image",
       "Stretches an image over the tank. Its brightness sets the wave speed.",
       {factor("from", "From", 0.4), factor("to", "To", 1)},
       true},
      {"clear-speed", "Clear speed map", "Resets the wave speed to c everywhere.", {}},
      {"oscillator",
       "Oscillator",
       "Moves a small disc of the surface up and down.",
       {position_x(), position_y(), frequency(0.05),
        amplitude(0.1, 10, "How far the source moves the surface up and down."), phase(),
        length("radius", "Radius", 2, 200, "Radius of the disc; at least one cell."),
        velocity("vx", "Speed to the right"), velocity("vy", "Speed upwards")}},
      {"line-source",
       "Line source",
       "Moves the surface along a line up and down, which makes plane waves.",
       {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), frequency(0.05),
        amplitude(0.1, 10, "How far the source moves the surface up and down."), phase()}},
      {"remove-source",
       "Remove a source",
       "Removes the source nearest to a point, if it is within reach.",
       {position_x(), position_y(),
        length("reach", "Reach", 1e9, 1e9, "Largest distance of the point from the source.")}},
      {"remove-sources", "Remove all sources", "Removes every oscillator and line source.", {}},
      {"mode",
       "Standing mode",
       "Adds a standing mode of the tank, at rest. It then oscillates at a single frequency.",
       {mode_number("m", "Across"), mode_number("n", "Up"), amplitude(0.5, 10, "Height of its crests.")}},
      {"calm", "Calm the water", "Makes the surface flat and at rest. Walls, speed map and sources stay.", {}},
      {"screen",
       "Screen",
       "Places a screen across the tank and plots the mean intensity <u²> there, with theory. If there is a screen, it "
       "moves.",
       {position_x()}},
      {"remove-screen", "Remove the screen", "Removes the screen and ends the averaging.", {}},
      {"reset-intensity",
       "Restart averaging",
       "Restarts the mean intensity once waves have crossed the tank. Every change of the tank does this too.",
       {}},
  };
}

std::vector<Tool> make_tools() {
  const Parameters defaults;
  ValueInfo droplet_radius =
      length("radius", "Radius", defaults.droplet_radius, 100, "Radius s in the droplet's shape -a exp(-(r/s)²).");
  droplet_radius.minimum = 0.5, droplet_radius.scale = Scale::logarithmic;
  ValueInfo strength =
      real_value("amplitude", "Strength", "height", "a", defaults.droplet_amplitude, 0, 2, "Depth a of the droplet.");
  ValueInfo wall_radius = length("radius", "Radius", 3, 100, "Half the width of the wall.");
  wall_radius.minimum = 0.5, wall_radius.scale = Scale::logarithmic;
  ValueInfo speed_radius = length("radius", "Radius", 25, 300, "Half the width of the stroke.");
  speed_radius.minimum = 1, speed_radius.scale = Scale::logarithmic;
  ValueInfo source_radius = length("radius", "Radius", 2, 50, "Radius of the area that the oscillator moves.");
  source_radius.minimum = 0.5, source_radius.scale = Scale::logarithmic;
  ValueInfo source_frequency = frequency(0.05);
  source_frequency.minimum = 0.001, source_frequency.maximum = 1, source_frequency.scale = Scale::logarithmic;
  ValueInfo brush_factor = factor("factor", "Factor", 0.6);
  return {
      {"droplet",
       "Droplet",
       "Left: press the surface down. Right: pull it up. Drag: make a furrow.",
       {droplet_radius, strength}},
      {"wall", "Wall", "Left: draw a wall. Right: erase it.", {wall_radius}},
      {"speed",
       "Wave speed",
       "Left: paint slower or faster water. Right: restore the wave speed c.",
       {speed_radius, brush_factor}},
      {"oscillator",
       "Oscillator",
       "Left: place an oscillator. Right: remove the one under the pointer.",
       {source_radius, source_frequency, amplitude(0.1, 2, "How far the source moves the surface up and down.")}},
      {"screen", "Screen", "Left: place a screen that plots the mean intensity. Right: remove it.", {}},
  };
}

std::vector<Action> droplets(const Gesture& g, const Parameters& parameters, double domain_width,
                             double domain_height) {
  const double radius = g.setting("radius", parameters.droplet_radius);
  const double strength =
      g.setting("amplitude", parameters.droplet_amplitude) * (g.button == Gesture::Button::left ? 1 : -1);
  const auto droplet = [&](double x, double y, double amplitude) {
    return Action{"droplet", {{"x", x}, {"y", y}, {"radius", radius}, {"amplitude", amplitude}}, "", nullptr};
  };
  if (g.phase == Gesture::Phase::press) return {droplet(g.x, g.y, strength)};
  // A drag adds droplets one radius apart, each proportionally weaker where the pointer moved less than that. The
  // depth of the furrow therefore depends neither on the pointer's speed nor on how often it was read.
  const double dx = (g.x - g.previous_x) * domain_width, dy = (g.y - g.previous_y) * domain_height;
  const double way = std::hypot(dx, dy) / radius;
  const int count = static_cast<int>(std::ceil(std::min(way, 4096.0)));
  std::vector<Action> actions;
  for (int k = 1; k <= count; ++k) {
    const double share = static_cast<double>(k) / count;
    actions.push_back(droplet(g.previous_x + share * (g.x - g.previous_x), g.previous_y + share * (g.y - g.previous_y),
                              strength * way / count));
  }
  return actions;
}

}  // namespace

const std::vector<ActionKind>& action_kinds() {
  static const std::vector<ActionKind> kinds = with_lasting(
      make_kinds(), {"wall-line", "wall-rectangle", "wall-ellipse", "wall-image", "clear-walls", "speed-disc",
                     "speed-line", "speed-rectangle", "speed-ellipse", "speed-gradient", "speed-image", "clear-speed",
                     "oscillator", "line-source", "remove-source", "remove-sources", "screen", "remove-screen"});
  return kinds;
}

const std::vector<Tool>& tools() {
  static const std::vector<Tool> tools = make_tools();
  return tools;
}

std::vector<Action> wave_interpret(const Gesture& g, const Parameters& parameters, double domain_width,
                                   double domain_height) {
  if (g.phase == Gesture::Phase::release) return {};
  if (!is_near_domain(g)) return {};
  const bool left = g.button == Gesture::Button::left;
  if (g.tool == "droplet") return droplets(g, parameters, domain_width, domain_height);
  if (g.tool == "wall") {
    Action wall = stroke("wall-line", g);
    wall.numbers["thickness"] = 2 * g.setting("radius", 3);
    if (!left) wall.numbers["erase"] = 1;
    return {wall};
  }
  if (g.tool == "speed") {
    Action speed = stroke("speed-line", g);
    speed.numbers["thickness"] = 2 * g.setting("radius", 25);
    speed.numbers["factor"] = left ? g.setting("factor", 0.6) : 1;
    return {speed};
  }
  if (g.tool == "screen" && g.phase == Gesture::Phase::press) {
    if (!left) return {{"remove-screen", {}, "", nullptr}};
    return {{"screen", {{"x", g.x}}, "", nullptr}};
  }
  if (g.tool == "oscillator" && g.phase == Gesture::Phase::press) {
    // The ring of a source is a few pixels wide, and so is pointing accuracy: a hundredth of the tank.
    const double reach = 0.01 * std::min(domain_width, domain_height);
    if (!left) return {{"remove-source", {{"x", g.x}, {"y", g.y}, {"reach", reach}}, "", nullptr}};
    return {{"oscillator",
             {{"x", g.x},
              {"y", g.y},
              {"radius", g.setting("radius", 2)},
              {"frequency", g.setting("frequency", 0.05)},
              {"amplitude", g.setting("amplitude", 0.1)}},
             "",
             nullptr}};
  }
  return {};
}

Shape action_shape(const Action& action, int width, int height, double cell_size) {
  using Kind = Shape::Kind;
  const CellCoordinates at(action, width, height);
  // A thin line still covers the cells that it crosses: half a cell's diagonal to either side.
  const auto radius = [&](double length_units) { return static_cast<float>(std::max(length_units / cell_size, 0.75)); };
  Shape shape;
  if (action.kind == "wall-line" || action.kind == "speed-line") {
    shape.kind = Kind::segment;
    shape.line = {at.x("x0"), at.y("y0"), at.x("x1"), at.y("y1")};
    shape.radius = radius(0.5 * action.get("thickness"));
  } else if (action.kind == "speed-disc") {
    shape.kind = Kind::segment;
    shape.line = {at.x(), at.y(), at.x(), at.y()};
    shape.radius = radius(action.get("radius"));
  } else if (action.kind == "wall-rectangle" || action.kind == "speed-rectangle") {
    shape.kind = Kind::rectangle;
    shape.line = {std::min(at.x("x0"), at.x("x1")), std::min(at.y("y0"), at.y("y1")), std::max(at.x("x0"), at.x("x1")),
                  std::max(at.y("y0"), at.y("y1"))};
  } else if (action.kind == "wall-ellipse" || action.kind == "speed-ellipse") {
    shape.kind = Kind::ellipse;
    shape.line = {at.x(), at.y(), at.x("radius_x"), at.y("radius_y")};
  }
  if (action.kind == "wall-rectangle" || action.kind == "wall-ellipse") shape.outside = action.get("outside") != 0;
  return shape;
}

SpeedRamp action_ramp(const Action& action, int width, int height) {
  SpeedRamp ramp;
  if (action.kind == "speed-gradient") {
    const CellCoordinates at(action, width, height);
    ramp.line = {at.x("x0"), at.y("y0"), at.x("x1"), at.y("y1")};
    ramp.from = static_cast<float>(action.get("from")), ramp.to = static_cast<float>(action.get("to"));
  } else {
    ramp.from = ramp.to = static_cast<float>(action.get("factor"));
  }
  return ramp;
}

}  // namespace perturb::wave
