#include "cuda/wave/actions.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/unit_names.h"
#include "cuda/wave/model/medium.h"

namespace perturb::wave {

namespace {

ValueInfo length(const char* id, const char* label, double initial, double maximum, const char* help) {
  return real_value(id, label, "length", "", initial, 0, maximum, help);
}
// The size of an object.
ValueInfo extent(const char* id, const char* label, double initial, double maximum, const char* help) {
  ValueInfo info = length(id, label, initial, maximum, help);
  info.minimum = 0.01;
  info.scale = Scale::logarithmic;
  return info;
}
ValueInfo slit_number() {
  ValueInfo info = real_value("number", "Number", "", "", 2, 1, 50, "Number of slits.");
  info.kind = ValueKind::integer;
  return info;
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
                    "two steps, and a wavelength at least two cells. A change while the source moves keeps its height "
                    "and changes its phase.");
}
ValueInfo amplitude(double initial, double range, const char* help) {
  return real_value("amplitude", "Amplitude", "height", "a", initial, -range, range, help);
}
// A pure number: how high the waves become depends on the time step too.
ValueInfo strength(double initial, double minimum, double maximum, const char* help) {
  return real_value("amplitude", "Strength", "", "a", initial, minimum, maximum, help);
}
ValueInfo phase() { return real_value("phase", "Phase", "rad", "", 0, -1000, 1000, "Phase of the source at time 0."); }
ValueInfo waves() {
  ValueInfo info = real_value("waves", "Waves", "", "", 0, 0, 1000,
                              "0: continuous. Otherwise the source sends a train of this many waves, which starts when "
                              "this is set and ends smoothly. 1 is a pulse. Then the water moves freely there.");
  info.kind = ValueKind::integer;
  return info;
}
ValueInfo velocity(const char* id, const char* label) {
  return real_value(id, label, "length/time", "", 0, -100, 100,
                    "Speed of the source. It turns round at a side and passes through a periodic side.");
}
ValueInfo half_width() {
  return real_value("radius_x", "Half width", unit_of_width, "", must_be_given, 1e-4, 10,
                    "Half the width of the ellipse.");
}
ValueInfo half_height() {
  return real_value("radius_y", "Half height", unit_of_height, "", must_be_given, 1e-4, 10,
                    "Half the height of the ellipse.");
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
      {.id = "droplet",
       .label = "Droplet",
       .help = "A droplet presses the surface down by -a exp(-(r/s)²); a negative strength lifts it. If no side is "
               "fixed, the mean height is kept: the other water rises a little.",
       .fields = {position_x(), position_y(),
                  as_parameter("droplet_radius",
                               droplet_radius("radius", "Radius", defaults.droplet_radius, 200,
                                              "Radius s of the droplet; default: the value of Droplet radius.")),
                  as_parameter("droplet_amplitude",
                               strength(defaults.droplet_amplitude, -10, 10,
                                        "Strength a of the droplet; default: the value of Droplet strength."))},
       .visible_in = {"height", "water", "velocity", "surface"}},
      {.id = "wall-line",
       .label = "Wall along a line",
       .help = "A wall keeps the surface at zero and reflects waves.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  length("thickness", "Thickness", 4, 1000,
                         "Width of the wall; it covers at least the cells on the line."),
                  erase_value()}},
      {.id = "wall-rectangle",
       .label = "Rectangular wall",
       .help = "Fills a rectangle with wall.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), erase_value(),
                  flag_value("outside", "Outside", "Fills everything outside the rectangle.")}},
      {.id = "wall-ellipse",
       .label = "Elliptical wall",
       .help = "Fills an ellipse with wall, or leaves an elliptical room.",
       .fields = {position_x(), position_y(), half_width(), half_height(), erase_value(),
                  flag_value("outside", "Outside", "Fills everything outside the ellipse: a room with a round wall.")}},
      {.id = "wall-image",
       .label = "Walls from an image",
       .help = "Stretches an image over the tank. Dark areas become wall.",
       .fields = {real_value("threshold", "Threshold", "", "", 0.5, 0, 1,
                             "Areas darker than this become wall (0 black, 1 white)."),
                  flag_value("invert", "Invert", "Makes bright areas wall instead.")},
       .takes_image = true},
      {.id = "slits",
       .label = "Slits",
       .help = "A wall across the tank with slits of equal width, one above the other.",
       .fields = {position_x(), position_y(), slit_number(),
                  extent("width", "Width", 20, 2000, "Width of each slit. The grid rounds it to whole cells."),
                  extent("distance", "Distance", 64, 10000, "Distance of neighbouring slits, from centre to centre."),
                  extent("thickness", "Thickness", 8, 1000, "Thickness of the wall; at least one cell."),
                  length("length", "Length", 0, 100000, "Length of the wall. 0: from side to side.")}},
      {.id = "clear-walls", .label = "Clear walls", .help = "Removes all walls, slits too.", .fields = {}},
      {.id = "speed-disc",
       .label = "Wave speed on a disc",
       .help = "Slower or faster water within a circle.",
       .fields = {position_x(), position_y(), length("radius", "Radius", 40, 10000, "Radius of the circle."),
                  factor("factor", "Speed factor", 0.6)}},
      {.id = "speed-line",
       .label = "Wave speed along a line",
       .help = "Slower or faster water along a stroke.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  length("thickness", "Thickness", 40, 10000, "Width of the stroke."),
                  factor("factor", "Speed factor", 0.6)}},
      {.id = "speed-rectangle",
       .label = "Wave speed in a rectangle",
       .help = "Slower or faster water in a rectangle.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  factor("factor", "Speed factor", 0.6)}},
      {.id = "speed-ellipse",
       .label = "Wave speed in an ellipse",
       .help = "Slower or faster water in an ellipse: a lens.",
       .fields = {position_x(), position_y(), half_width(), half_height(), factor("factor", "Speed factor", 0.6)}},
      {.id = "speed-gradient",
       .label = "Sloping wave speed",
       .help = "The wave speed changes linearly across the whole tank, as at a beach.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), factor("from", "From", 1),
                  factor("to", "To", 0.4)}},
      {.id = "speed-image",
       .label = "Wave speed from an image",
       .help = "Stretches an image over the tank. Its brightness sets the wave speed.",
       .fields = {factor("from", "From", 0.4), factor("to", "To", 1)},
       .takes_image = true},
      {.id = "lens",
       .label = "Lens",
       .help = "Slower water in an ellipse, as an object: what was painted below it returns when it moves.",
       .fields = {position_x(), position_y(), half_width(), half_height(), factor("factor", "Speed factor", 0.7)}},
      {.id = "region",
       .label = "Region with a different wave speed",
       .help = "Slower or faster water in a rectangle, as an object: what was painted below it returns when it moves.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  factor("factor", "Speed factor", 0.7)}},
      {.id = "clear-speed",
       .label = "Clear speed map",
       .help = "Resets the wave speed to c everywhere, and removes lenses and regions.",
       .fields = {}},
      {.id = "oscillator",
       .label = "Oscillator",
       .help = "Moves a small disc of the surface up and down.",
       .fields = {position_x(), position_y(), frequency(0.05),
                  amplitude(0.1, 10, "How far the source moves the surface up and down."), phase(),
                  length("radius", "Radius", 2, 200, "Radius of the disc; at least one cell."), waves(),
                  velocity("vx", "Speed to the right"), velocity("vy", "Speed upwards")}},
      {.id = "line-source",
       .label = "Line source",
       .help = "Moves the surface along a line up and down, which makes plane waves.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"), frequency(0.05),
                  amplitude(0.1, 10, "How far the source moves the surface up and down."), phase(), waves()}},
      {.id = "remove-source",
       .label = "Remove a source",
       .help = "Removes the source nearest to a point, if it is within reach.",
       .fields = {position_x(), position_y(),
                  length("reach", "Reach", 1e9, 1e9, "Largest distance of the point from the source.")}},
      {.id = "remove-sources",
       .label = "Remove all sources",
       .help = "Removes every oscillator and line source.",
       .fields = {}},
      {.id = "mode",
       .label = "Standing mode",
       .help = "Adds a standing mode of the tank, at rest. It then oscillates at a single frequency.",
       .fields = {mode_number("m", "Across"), mode_number("n", "Up"), amplitude(0.5, 10, "Height of its crests.")}},
      {.id = "calm",
       .label = "Calm the water",
       .help = "Makes the surface flat and at rest. Walls, speed map and sources stay.",
       .fields = {}},
      {.id = "screen",
       .label = "Screen",
       .help = "Places a screen across the tank and plots the mean intensity <u²> there, with theory. If there is a "
               "screen, it moves.",
       .fields = {position_x()}},
      {.id = "remove-screen",
       .label = "Remove the screen",
       .help = "Removes the screen and ends the averaging.",
       .fields = {}},
      {.id = "reset-intensity",
       .label = "Restart averaging",
       .help = "Restarts the mean intensity once waves have crossed the tank. Every change of the tank does this too.",
       .fields = {}},
  };
}

std::vector<Tool> make_tools() {
  const Parameters defaults;
  // As the scene's own droplets, until the user changes them.
  ValueInfo droplet_radius = as_parameter("droplet_radius", length("radius", "Radius", defaults.droplet_radius, 100,
                                                                   "Radius s in the droplet's shape -a exp(-(r/s)²)."));
  droplet_radius.minimum = 0.5;
  droplet_radius.scale = Scale::logarithmic;
  ValueInfo droplet_strength =
      as_parameter("droplet_amplitude", strength(defaults.droplet_amplitude, 0, 2, "Strength a of the droplet."));
  ValueInfo wall_radius = length("radius", "Radius", 3, 100, "Half the width of the wall.");
  wall_radius.minimum = 0.5;
  wall_radius.scale = Scale::logarithmic;
  ValueInfo speed_radius = length("radius", "Radius", 25, 300, "Half the width of the stroke.");
  speed_radius.minimum = 1;
  speed_radius.scale = Scale::logarithmic;
  ValueInfo source_radius = length("radius", "Radius", 2, 50, "Radius of the area that the oscillator moves.");
  source_radius.minimum = 0.5;
  source_radius.scale = Scale::logarithmic;
  ValueInfo source_frequency = frequency(0.05);
  source_frequency.minimum = 0.001;
  source_frequency.maximum = 1;
  source_frequency.scale = Scale::logarithmic;
  ValueInfo brush_factor = factor("factor", "Speed factor", 0.6);
  return {
      {.id = "droplet",
       .label = "Droplet",
       .help = "Left: press the surface down. Right: pull it up. Drag: make a furrow.",
       .brush = {droplet_radius, droplet_strength}},
      {.id = "wall", .label = "Wall", .help = "Left: draw a wall. Right: erase it.", .brush = {wall_radius}},
      {.id = "speed",
       .label = "Wave speed",
       .help = "Left: paint slower or faster water. Right: restore the wave speed c.",
       .brush = {speed_radius, brush_factor}},
      {.id = "oscillator",
       .label = "Oscillator",
       .help = "Left: place an oscillator. Right: remove the one under the pointer.",
       .brush = {source_radius, source_frequency,
                 amplitude(0.1, 2, "How far the source moves the surface up and down.")}},
      {.id = "screen",
       .label = "Screen",
       .help = "Left: place a screen that plots the mean intensity. Right: remove it.",
       .brush = {}},
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
  static const std::vector<ActionKind> kinds =
      with_objects(with_lasting(make_kinds(), {"wall-line",     "wall-rectangle", "wall-ellipse",   "wall-image",
                                               "clear-walls",   "speed-disc",     "speed-line",     "speed-rectangle",
                                               "speed-ellipse", "speed-gradient", "speed-image",    "clear-speed",
                                               "slits",         "lens",           "region",         "oscillator",
                                               "line-source",   "remove-source",  "remove-sources", "screen",
                                               "remove-screen"}),
                   {"oscillator", "line-source", "slits", "lens", "region"});
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

Shape action_shape(const Action& action, const Grid& grid) {
  using Kind = Shape::Kind;
  const ExactCells at(action, grid.width, grid.height);
  // A thin line still covers the cells that it crosses: half a cell's diagonal to either side.
  const auto radius = [&](double length) { return static_cast<float>(std::max(length / grid.cell_size, 0.75)); };
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
  return repeated(shape, grid);
}

SpeedRamp action_ramp(const Action& action, const Grid& grid) {
  SpeedRamp ramp;
  if (action.kind == "speed-gradient") {
    const ExactCells at(action, grid.width, grid.height);
    ramp.line = {at.x("x0"), at.y("y0"), at.x("x1"), at.y("y1")};
    if (grid.periodic_x) ramp.repeats_x = grid.width;
    if (grid.periodic_y) ramp.repeats_y = grid.height;
    ramp.from = static_cast<float>(action.get("from"));
    ramp.to = static_cast<float>(action.get("to"));
  } else {
    ramp.from = ramp.to = static_cast<float>(action.get("factor"));
  }
  return ramp;
}

}  // namespace perturb::wave
