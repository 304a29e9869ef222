#include "cuda/lbm/actions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/math/elementary.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/unit_names.h"

namespace perturb::lbm {

namespace {

ValueInfo cells(const char* id, const char* label, double initial, double minimum, double maximum, const char* help) {
  return real_value(id, label, "cell", "", initial, minimum, maximum, help);
}
ValueInfo velocity(const char* id, const char* label) {
  return real_value(id, label, "cell/step", "", 0, -0.3, 0.3, "Velocity added to the fluid on the stroke itself.");
}
ValueInfo speed(double initial) {
  return real_value("speed", "Speed", "cell/step", "U", initial, -0.3, 0.3, "Highest speed.");
}
// A bound of a rectangle, as a fraction of the domain.
ValueInfo edge(const char* id, const char* label, const char* unit, double initial) {
  return real_value(id, label, unit, "", initial, 0, 1, "Edge of the rectangle to set; default: the whole domain.");
}
ValueInfo whole(const char* id, const char* label, double initial, double maximum, const char* help) {
  ValueInfo info = real_value(id, label, "", "", initial, 1, maximum, help);
  info.kind = ValueKind::integer;
  return info;
}
// Lengths of shapes are fractions of the domain's height, so a preset gives the same shapes on any grid.
ValueInfo share(const char* id, const char* label, double initial, const char* help) {
  return real_value(id, label, unit_of_height, "", initial, 1e-4, 10, help);
}
ValueInfo amount(double initial) {
  return real_value("amount", "Amount", "", "", initial, -1, 1,
                    "Amount of dye: 1 is full colour, a negative value removes dye.");
}

ValueInfo labelled(const char* label, ValueInfo info) {
  info.label = label;
  return info;
}
ValueInfo angle() {
  return real_value("angle", "Angle", "degree", "", 0, -180, 180, "Counterclockwise, about its centre.");
}

std::vector<ActionKind> make_kinds() {
  return {
      {.id = "push",
       .label = "Push",
       .help = "Accelerates the fluid along a stroke: u += v exp(-(d/r)²), up to the limit of the scheme.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  velocity("vx", "Velocity to the right"), velocity("vy", "Velocity upwards"),
                  cells("radius", "Radius", 12, 0.5, 1000, "Radius r of the push.")}},
      {.id = "dye",
       .label = "Dye",
       .help = "Adds dye along a stroke; the fluid carries it away.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  cells("radius", "Radius", 8, 0.5, 1000, "Half the width of the stroke."), amount(1)},
       .visible_in = {"dye"}},
      {.id = "dye-source",
       .label = "Dye source",
       .help = "A point where dye keeps flowing out.",
       .fields = {position_x(), position_y(), share("radius", "Radius", 0.01, "Radius of the source.")},
       .visible_in = {"dye"}},
      {.id = "dye-image",
       .label = "Dye from an image",
       .help = "Stretches an image over the domain. Darker areas get more dye; walls get none.",
       .fields = {real_value("amount", "Amount", "", "", 1, 0, 1, "Amount of dye where the image is black."),
                  flag_value("invert", "Invert", "Adds dye to bright areas instead.")},
       .takes_image = true,
       .visible_in = {"dye"}},
      {.id = "clear-dye",
       .label = "Clear dye",
       .help = "Removes all dye and all dye sources.",
       .fields = {},
       .visible_in = {"dye"}},
      {.id = "wall-line",
       .label = "Wall along a line",
       .help = "A wall to which the fluid sticks.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  cells("thickness", "Thickness", 6, 0.5, 2000, "Width of the wall."), erase_value()}},
      {.id = "wall-rectangle",
       .label = "Rectangular wall",
       .help = "Fills a rectangle with wall.",
       .fields = {labelled("Left edge", position_x("x0")), labelled("Lower edge", position_y("y0")),
                  labelled("Right edge", position_x("x1")), labelled("Upper edge", position_y("y1")), angle(),
                  erase_value()}},
      {.id = "wall-disc",
       .label = "Round wall",
       .help = "A cylinder.",
       .fields = {position_x(), position_y(), share("radius", "Radius", 0.1, "Radius of the cylinder."),
                  real_value("surface_speed", "Surface speed", "cell/step", "", 0, -0.3, 0.3,
                             "Speed of its surface if it turns about its axis, counterclockwise."),
                  erase_value()}},
      {.id = "wall-ellipse",
       .label = "Elliptical wall",
       .help = "An ellipse.",
       .fields = {position_x(), position_y(),
                  with_former_id("radius_x", share("half_width", "Half width", 0.1, "Half its width.")),
                  with_former_id("radius_y", share("half_height", "Half height", 0.1, "Half its height.")), angle(),
                  erase_value()}},
      {.id = "wall-airfoil",
       .label = "Wing section",
       .help = "A four-digit NACA section.",
       .fields = {position_x(), position_y(), share("chord", "Chord", 0.6, "Length of the section."),
                  real_value("angle", "Angle of attack", "degree", "", 8, -90, 90,
                             "Angle by which the nose is raised."),
                  real_value("thickness", "Thickness", "chord", "", 0.12, 0.02, 0.5, "Greatest thickness."),
                  real_value("camber", "Camber", "chord", "", 0.04, 0, 0.2, "Height of the mean line."),
                  erase_value()}},
      {.id = "wall-grains",
       .label = "Grains",
       .help = "Round grains at random: a porous medium.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1"),
                  whole("rows", "Rows", 10, 1000, "Number of squares along the height; each may hold a grain."),
                  real_value("fill", "Fill", "", "", 0.85, 0, 1, "Fraction of the squares that hold a grain."),
                  real_value("size", "Size", "square", "", 0.3, 0.01, 1,
                             "Mean radius of a grain, as a fraction of its square.")}},
      {.id = "wall-image",
       .label = "Walls from an image",
       .help = "Stretches an image over the domain. Dark areas become wall.",
       .fields = {real_value("threshold", "Threshold", "", "", 0.5, 0, 1,
                             "Areas darker than this become wall (0 black, 1 white)."),
                  flag_value("invert", "Invert", "Makes bright areas wall instead.")},
       .takes_image = true},
      {.id = "move-body",
       .label = "Move an obstacle",
       .help = "Moves the connected wall at a point by whole cells.",
       .fields = {position_x("x0"), position_y("y0"), position_x("x1"), position_y("y1")}},
      {.id = "probe",
       .label = "Velocity probe",
       .help = "Places the probe in a cell. It records the velocity over time and how often vortices pass.",
       .fields = {position_x(), position_y()}},
      {.id = "clear-probe", .label = "Remove the probe", .help = "Stops recording the velocity.", .fields = {}},
      {.id = "clear-walls", .label = "Clear walls", .help = "Removes all painted walls.", .fields = {}},
      {.id = "calm",
       .label = "Calm the water",
       .help = "Sets all fluid to rest at density 1. Walls stay.",
       .fields = {}},
      {.id = "stream",
       .label = "Stream",
       .help = "Sets all fluid, or the fluid in a rectangle, to one velocity.",
       .fields = {velocity("vx", "To the right"), velocity("vy", "Upwards"), edge("x0", "Left edge", unit_of_width, 0),
                  edge("y0", "Lower edge", unit_of_height, 0), edge("x1", "Right edge", unit_of_width, 1),
                  edge("y1", "Upper edge", unit_of_height, 1)}},
      {.id = "taylor-green",
       .label = "Taylor-Green vortices",
       .help = "A checkerboard of vortices that decays as exp(-ν k² t).",
       .fields = {speed(0.05), whole("m", "Pairs across", 1, 1000, "Wavelengths across the width."),
                  whole("n", "Pairs up", 1, 1000, "Wavelengths across the height.")}},
      {.id = "shear-layer",
       .label = "Double shear layer",
       .help = "Two layers that roll up (Minion & Brown 1997).",
       .fields = {speed(0.08), real_value("steepness", "Steepness", "", "", 80, 1, 1000, "Thinness of the layers."),
                  real_value("nudge", "Nudge", "U", "", 0.05, 0, 1, "Transverse speed that starts the roll-up.")}},
  };
}

std::vector<Tool> make_tools() {
  const auto radius = [](double initial, double minimum, double maximum, const char* help) {
    ValueInfo info = cells("radius", "Radius", initial, minimum, maximum, help);
    info.scale = Scale::logarithmic;
    return info;
  };
  return {
      {.id = "push",
       .label = "Push",
       .help = "Left drag: push the fluid. Right drag: draw a wall (erase it with the tool Wall). Ctrl or the key D: "
               "add dye.",
       .brush = {radius(14, 1, 200, "Width of the push."),
                 real_value("strength", "Strength", "", "", 0.5, 0, 2,
                            "Fraction of the pointer's speed that the fluid takes on."),
                 cells("breadth", "Wall width", 6, 1, 200, "Width of a wall drawn with the right button.")}},
      {.id = "wall",
       .label = "Wall",
       .help = "Left: draw a wall. Right: erase it.",
       .brush = {radius(4, 0.5, 200, "Half the width of the wall.")}},
      {.id = "dye",
       .label = "Dye",
       .help = "Left: add dye. Right: remove it.",
       .brush = {radius(8, 1, 200, "Width of the stroke.")},
       .key = "d"},
      {.id = "probe", .label = "Velocity probe", .help = "Left: place the probe. Right: remove it.", .brush = {}},
      {.id = "move", .label = "Move", .help = "Drag an obstacle to move it as a body.", .brush = {}},
  };
}

Action wall_line(const Gesture& g, double thickness, bool erase) {
  Action action = stroke("wall-line", g);
  action.numbers["thickness"] = thickness;
  if (erase) action.numbers["erase"] = 1;
  return action;
}
Action dye(const Gesture& g, double radius, double amount) {
  Action action = stroke("dye", g);
  action.numbers["radius"] = radius;
  action.numbers["amount"] = amount;
  return action;
}

}  // namespace

const std::vector<ActionKind>& action_kinds() {
  static const std::vector<ActionKind> kinds = [] {
    std::vector<ActionKind> all =
        with_objects(with_lasting(make_kinds(), {"wall-line", "wall-rectangle", "wall-disc", "wall-ellipse",
                                                 "wall-airfoil", "wall-grains", "wall-image", "clear-walls",
                                                 "move-body", "dye-source", "clear-dye", "probe", "clear-probe"}),
                     {"wall-disc", "wall-ellipse", "wall-rectangle", "wall-airfoil", "dye-source"});
    // Erasing makes no object, so this is not the number of one.
    for (ActionKind& kind : all)
      if (kind.changes_object) std::erase_if(kind.fields, [](const ValueInfo& field) { return field.id == "erase"; });
    return all;
  }();
  return kinds;
}

const std::vector<Tool>& tools() {
  static const std::vector<Tool> tools = make_tools();
  return tools;
}

std::vector<Action> lbm_interpret(const Gesture& g, int width, int height) {
  if (g.phase == Gesture::Phase::release) return {};
  if (!is_near_domain(g)) return {};
  const bool left = g.button == Gesture::Button::left;
  if (g.tool == "push") {
    if (!left) return {wall_line(g, g.setting("breadth", 6), false)};
    if (g.control) return {dye(g, g.setting("radius", 14), 1)};
    if (g.phase == Gesture::Phase::press) return {};  // a push needs a direction
    const double dx = (g.x - g.previous_x) * width, dy = (g.y - g.previous_y) * height, way = std::hypot(dx, dy);
    if (way == 0) return {};
    // The speed is the pointer's displacement since the last event. It saturates, so that fast pointer moves
    // keep the flow in range.
    const double radius = g.setting("radius", 14),
                 fast = 0.12 * g.setting("strength", 0.5) * std::min(1.0, way / radius);
    Action push = stroke("push", g);
    push.numbers["vx"] = std::clamp(fast * dx / way, -0.3, 0.3);
    push.numbers["vy"] = std::clamp(fast * dy / way, -0.3, 0.3);
    push.numbers["radius"] = radius;
    return {push};
  }
  if (g.tool == "probe") {
    if (!left) return {{"clear-probe", {}, "", nullptr}};
    return {{"probe", {{"x", std::clamp(g.x, 0., 1.)}, {"y", std::clamp(g.y, 0., 1.)}}, "", nullptr}};
  }
  if (g.tool == "wall") return {wall_line(g, 2 * g.setting("radius", 4), !left)};
  if (g.tool == "dye") return {dye(g, g.setting("radius", 8), left ? 1 : -1)};
  if (g.tool == "move" && g.phase == Gesture::Phase::move && left) {
    // Bodies move by whole cells: from the cell of the previous pointer position to the current one.
    if (std::floor(g.x * width) == std::floor(g.previous_x * width) &&
        std::floor(g.y * height) == std::floor(g.previous_y * height))
      return {};
    return {stroke("move-body", g)};
  }
  return {};
}

Shape action_shape(const Action& action, int width, int height, std::uint32_t seed) {
  using Kind = Shape::Kind;
  const ExactCells at(action, width, height);
  Shape s;
  const auto turn = [&] {
    const double angle = action.get("angle") * std::numbers::pi / 180;
    if (angle == 0) return;
    s.sine = static_cast<float>(sine(angle));
    s.cosine = static_cast<float>(cosine(angle));
  };
  if (action.kind == "wall-line") {
    s.line = {at.x("x0"), at.y("y0"), at.x("x1"), at.y("y1")};
    // A thin line still covers the cells that it crosses.
    s.radius = std::max(0.5f * static_cast<float>(action.get("thickness")), 0.75f);
  } else if (action.kind == "wall-rectangle") {
    s.kind = Kind::rectangle;
    s.line = {std::min(at.x("x0"), at.x("x1")), std::min(at.y("y0"), at.y("y1")), std::max(at.x("x0"), at.x("x1")),
              std::max(at.y("y0"), at.y("y1"))};
    turn();
  } else if (action.kind == "wall-disc") {
    s.line = {at.x(), at.y(), at.x(), at.y()};
    s.radius = static_cast<float>(action.get("radius") * height);
  } else if (action.kind == "wall-ellipse") {
    s.kind = Kind::ellipse;
    s.line = {at.x(), at.y(), at.y("half_width"), at.y("half_height")};
    turn();
  } else if (action.kind == "wall-airfoil") {
    s.kind = Kind::airfoil;
    s.line = {at.x(), at.y(), static_cast<float>(action.get("chord") * height), 0};
    turn();
    s.thickness = static_cast<float>(action.get("thickness"));
    s.camber = static_cast<float>(action.get("camber"));
  } else if (action.kind == "wall-grains") {
    s.kind = Kind::grains;
    s.line = {std::min(at.x("x0"), at.x("x1")), std::min(at.y("y0"), at.y("y1")), std::max(at.x("x0"), at.x("x1")),
              std::max(at.y("y0"), at.y("y1"))};
    const double square = static_cast<double>(s.line.y1 - s.line.y0) / action.get("rows");
    s.rows = static_cast<int>(action.get("rows"));
    s.columns =
        std::max(1, static_cast<int>(std::lround(static_cast<double>(s.line.x1 - s.line.x0) / std::max(square, 1e-3))));
    s.radius = static_cast<float>(action.get("size") * square);
    s.share = static_cast<float>(action.get("fill"));
    s.seed = seed;
  }
  return s;
}

CellSegment action_segment(const Action& action, int width, int height) {
  const ExactCells at(action, width, height);
  return {at.x("x0"), at.y("y0"), at.x("x1"), at.y("y1")};
}

Flow action_flow(const Action& action, int width, int height) {
  constexpr double turn = 2 * std::numbers::pi;
  Flow flow;
  if (action.kind == "stream") {
    flow.kind = Flow::Kind::uniform;
    flow.ux = static_cast<float>(action.get("vx"));
    flow.uy = static_cast<float>(action.get("vy"));
  } else if (action.kind == "taylor-green") {
    flow.kind = Flow::Kind::vortices;
    flow.speed = static_cast<float>(action.get("speed"));
    flow.kx = static_cast<float>(turn * action.get("m") / width);
    flow.ky = static_cast<float>(turn * action.get("n") / height);
  } else if (action.kind == "shear-layer") {
    flow.kind = Flow::Kind::shear;
    flow.speed = static_cast<float>(action.get("speed"));
    flow.kx = static_cast<float>(turn / width);
    flow.height = static_cast<float>(height);
    flow.thickness = static_cast<float>(action.get("steepness"));
    flow.nudge = static_cast<float>(action.get("nudge"));
  }
  return flow;
}

Box action_box(const Action& action, const RepeatingGrid& grid) {
  if (action.kind != "stream") return {0, 0, {grid.width, grid.height}};
  const auto cell = [&](const char* edge, int count) { return cell_at(action.get(edge) * count + 0.5); };
  Box box{cell("x0", grid.width), cell("y0", grid.height), {}};
  box.size = {cell("x1", grid.width) - box.i, cell("y1", grid.height) - box.j};
  // Round a side that repeats.
  if (grid.along_x && box.size.width < 0) box.size.width += grid.width;
  if (grid.along_y && box.size.height < 0) box.size.height += grid.height;
  return box;
}

}  // namespace perturb::lbm
