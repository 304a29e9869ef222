#include "cuda/lbm/objects.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/lbm/actions.h"

namespace perturb::lbm {

namespace {

constexpr double degree = std::numbers::pi / 180;

// The numbers of a body, in the order of its kind's fields: all but `erase`.
std::vector<std::string> number_ids(const std::string& kind) {
  std::vector<std::string> ids = ids_of(find_kind(action_kinds(), kind)->fields);
  std::erase(ids, "erase");
  return ids;
}

// Fractions of the domain from cells.
struct Fractions {
  double width, height;
  CurvePoint at(double x, double y) const { return {x / width, y / height}; }
};

// A number that grows by the part of the drag, in cells, along this direction, in units of the domain's height.
ObjectHandle::Effect along(const char* number, double x, double y, const Fractions& domain) {
  return {number, x * domain.width / domain.height, y};
}

std::vector<CurvePoint> ellipse_outline(double x, double y, double a, double b, double angle, const Fractions& domain) {
  constexpr int points = 64;
  std::vector<CurvePoint> outline;
  for (int k = 0; k <= points; ++k) {
    const double turn = 2 * std::numbers::pi * (k % points) / points, u = a * std::cos(turn), v = b * std::sin(turn);
    outline.push_back(
        domain.at(x + u * std::cos(angle) - v * std::sin(angle), y + u * std::sin(angle) + v * std::cos(angle)));
  }
  return outline;
}

ObjectHandle position_handle(CurvePoint at) { return {"Position", at.x, at.y, {{"x", 1, 0}, {"y", 0, 1}}, {}}; }

void describe_disc(SceneObject& object, const Action& a, const Fractions& domain) {
  const double x = a.get("x") * domain.width, y = a.get("y") * domain.height, r = a.get("radius") * domain.height;
  const CurvePoint right = domain.at(x + r, y);
  object.handles = {position_handle({a.get("x"), a.get("y")}),
                    {"Radius", right.x, right.y, {along("radius", 1, 0, domain)}, {}}};
  object.outline = ellipse_outline(x, y, r, r, 0, domain);
}

void describe_ellipse(SceneObject& object, const Action& action, const Fractions& domain) {
  const double x = action.get("x") * domain.width, y = action.get("y") * domain.height;
  const double a = action.get("half_width") * domain.height, b = action.get("half_height") * domain.height;
  const double angle = action.get("angle") * degree, c = std::cos(angle), s = std::sin(angle);
  const CurvePoint right = domain.at(x + a * c, y + a * s), top = domain.at(x - b * s, y + b * c),
                   left = domain.at(x - a * c, y - a * s);
  object.handles = {position_handle({action.get("x"), action.get("y")}),
                    {"Half width", right.x, right.y, {along("half_width", c, s, domain)}, {}},
                    {"Half height", top.x, top.y, {along("half_height", -s, c, domain)}, {}},
                    {"Angle", left.x, left.y, {}, "angle"}};
  object.outline = ellipse_outline(x, y, a, b, angle, domain);
}

void describe_rectangle(SceneObject& object, const Action& action, const Fractions& domain) {
  const double x0 = action.get("x0") * domain.width, x1 = action.get("x1") * domain.width;
  const double y0 = action.get("y0") * domain.height, y1 = action.get("y1") * domain.height;
  const double angle = action.get("angle") * degree, c = std::cos(angle), s = std::sin(angle);
  const double middle_x = (x0 + x1) / 2, middle_y = (y0 + y1) / 2;
  const auto turned = [&](double x, double y) {
    const double dx = x - middle_x, dy = y - middle_y;
    return domain.at(middle_x + dx * c - dy * s, middle_y + dx * s + dy * c);
  };
  object.outline = {turned(x0, y0), turned(x1, y0), turned(x1, y1), turned(x0, y1), turned(x0, y0)};

  // The middle of what is inside the domain, so that the handle of a rectangle that reaches far out is visible.
  CurvePoint middle = domain.at(middle_x, middle_y);
  if (angle == 0) {
    const auto inside = [](double low, double high) {
      return 0.5 * (std::clamp(std::min(low, high), 0., 1.) + std::clamp(std::max(low, high), 0., 1.));
    };
    middle = {inside(action.get("x0"), action.get("x1")), inside(action.get("y0"), action.get("y1"))};
  }
  object.handles.push_back(
      {"Position", middle.x, middle.y, {{"x0", 1, 0}, {"x1", 1, 0}, {"y0", 0, 1}, {"y1", 0, 1}}, {}});
  // A corner follows the pointer and the opposite one stays: the centre moves by half the drag, and the sides grow by
  // its components along them.
  const double stretch = domain.height / domain.width;
  for (const bool upper : {true, false}) {
    const double grows = upper ? 0.5 : -0.5;
    const auto x = [&](double sign) { return std::pair(0.5 + sign * grows * c, sign * grows * s * stretch); };
    const auto y = [&](double sign) { return std::pair(-sign * grows * s / stretch, 0.5 + sign * grows * c); };
    const CurvePoint corner = upper ? turned(x1, y1) : turned(x0, y0);
    object.handles.push_back({"Corner",
                              corner.x,
                              corner.y,
                              {{"x0", x(-1).first, x(-1).second},
                               {"x1", x(1).first, x(1).second},
                               {"y0", y(-1).first, y(-1).second},
                               {"y1", y(1).first, y(1).second}},
                              {}});
  }
  const CurvePoint side = turned(x1, middle_y);
  object.handles.push_back({"Angle", side.x, side.y, {}, "angle"});
}

void describe_airfoil(SceneObject& object, const PlacedBody& body, const Fractions& domain) {
  const Action& action = body.action;
  const double x = action.get("x") * domain.width, y = action.get("y") * domain.height;
  const double chord = action.get("chord") * domain.height, angle = action.get("angle") * degree;
  const double c = std::cos(angle), s = std::sin(angle);
  // Along the chord and across it, in chords.
  const auto at = [&](double along_chord, double across) {
    return domain.at(x + chord * (along_chord * c + across * s), y + chord * (across * c - along_chord * s));
  };
  constexpr int points = 32;
  const auto side = [&](int k, float sign) {
    // Closer together at the nose, which is round.
    const double way = static_cast<double>(k) / points;
    const auto from_nose = static_cast<float>(way * way);
    return at(static_cast<double>(from_nose),
              static_cast<double>(body.shape.mean_line(from_nose) + sign * body.shape.half_thickness(from_nose)));
  };
  for (int k = points; k > 0; --k) object.outline.push_back(side(k, 1));
  for (int k = 0; k <= points; ++k) object.outline.push_back(side(k, -1));
  object.outline.push_back(object.outline.front());

  // The wing is turned about its nose, and a tail that goes down raises the angle: to first order by the drag across
  // the chord.
  const CurvePoint tail = at(1, 0),
                   top = at(0.3, static_cast<double>(body.shape.mean_line(0.3f) + body.shape.half_thickness(0.3f)));
  const double turn = domain.height / chord / degree;
  ObjectHandle::Effect chord_effect = along("chord", c, -s, domain),
                       angle_effect = along("angle", -s * turn, -c * turn, domain);
  ObjectHandle::Effect thickness =
      along("thickness", 2 * s * domain.height / chord, 2 * c * domain.height / chord, domain);
  object.handles = {position_handle({action.get("x"), action.get("y")}),
                    {"Chord and angle", tail.x, tail.y, {chord_effect, angle_effect}, {}},
                    {"Thickness", top.x, top.y, {thickness}, {}}};
}

struct BodyKind {
  const char* id;
  void (*describe)(SceneObject&, const PlacedBody&, const Fractions&);
};
// States store the index of a kind: append only.
constexpr BodyKind body_kinds[] = {
    {"wall-disc", [](SceneObject& o, const PlacedBody& b, const Fractions& d) { describe_disc(o, b.action, d); }},
    {"wall-ellipse", [](SceneObject& o, const PlacedBody& b, const Fractions& d) { describe_ellipse(o, b.action, d); }},
    {"wall-rectangle",
     [](SceneObject& o, const PlacedBody& b, const Fractions& d) { describe_rectangle(o, b.action, d); }},
    {"wall-airfoil", describe_airfoil},
};

const BodyKind* body_kind(const std::string& id) {
  const auto found =
      std::find_if(std::begin(body_kinds), std::end(body_kinds), [&](const BodyKind& kind) { return id == kind.id; });
  return found == std::end(body_kinds) ? nullptr : found;
}

bool is_position(const std::string& number) {
  return number == "x" || number == "y" || number == "x0" || number == "y0" || number == "x1" || number == "y1";
}

}  // namespace

bool places_body(const Action& action) { return body_kind(action.kind) && action.get("erase") == 0; }

PlacedBody placed_body(int id, const Action& action, int width, int height) {
  PlacedBody body{id, action, action_shape(action, width, height, 0)};
  if (action.kind == "wall-disc") body.surface_speed = action.get("surface_speed");
  body.action.numbers.erase("erase");
  return body;
}

Action placed_object(const std::string& kind, double x, double y, int width, int height) {
  // Lengths are fractions of the height: of the same size on every grid, and small enough to leave a way past.
  const double aspect = static_cast<double>(height) / width, half = 0.06;
  const auto inside = [](double fraction) { return std::clamp(fraction, 0.0, 1.0); };
  if (kind == "wall-disc") return {kind, {{"x", x}, {"y", y}, {"radius", half}}, {}, {}};
  if (kind == "wall-ellipse")
    return {kind, {{"x", x}, {"y", y}, {"half_width", 2 * half}, {"half_height", half}}, {}, {}};
  if (kind == "wall-rectangle")
    return {kind,
            {{"x0", inside(x - half * aspect)},
             {"y0", inside(y - half)},
             {"x1", inside(x + half * aspect)},
             {"y1", inside(y + half)}},
            {},
            {}};
  // The position of a wing is that of its nose.
  constexpr double chord = 0.4;
  if (kind == "wall-airfoil")
    return {kind, {{"x", inside(x - 0.5 * chord * aspect)}, {"y", y}, {"chord", chord}}, {}, {}};
  return {kind, {{"x", x}, {"y", y}, {"radius", 0.015}}, {}, {}};
}

PlacedBody moved_body(const PlacedBody& body, int by_i, int by_j, const RepeatingGrid& grid) {
  Action action = body.action;
  const auto move = [&](const char* first, const char* second, double by, bool repeats) {
    const double from = action.numbers.contains(first) ? action.get(first) : action.get(std::string{first[0]});
    if (repeats) by -= std::floor(from + by);
    for (const std::string& id : {std::string(first), std::string(second), std::string{first[0]}})
      if (const auto found = action.numbers.find(id); found != action.numbers.end()) found->second += by;
  };
  move("x0", "x1", static_cast<double>(by_i) / grid.width, grid.along_x);
  move("y0", "y1", static_cast<double>(by_j) / grid.height, grid.along_y);
  return placed_body(body.id, action, grid.width, grid.height);
}

std::optional<BodyMove> move_between(const PlacedBody& from, const PlacedBody& to, int width, int height) {
  constexpr double rounding = 1e-9;
  std::optional<double> x, y;
  for (const auto& [id, value] : from.action.numbers) {
    const double change = to.action.get(id) - value;
    if (!is_position(id)) {
      if (change != 0) return std::nullopt;
      continue;
    }
    std::optional<double>& way = id[0] == 'x' ? x : y;
    if (!way) way = change;
    if (std::abs(*way - change) > rounding) return std::nullopt;
  }
  return BodyMove{x.value_or(0) * width, y.value_or(0) * height};
}

SceneObject scene_object(const PlacedBody& body, int width, int height) {
  SceneObject object{
      .id = body.id, .kind = body.action.kind, .numbers = body.action.numbers, .handles = {}, .outline = {}};
  body_kind(object.kind)->describe(object, body, {static_cast<double>(width), static_cast<double>(height)});
  return object;
}

SceneObject scene_object(const DyeSource& source, int width, int height) {
  const Action action{"dye-source", {{"x", source.x}, {"y", source.y}, {"radius", source.radius}}, {}, {}};
  SceneObject object{.id = source.id, .kind = action.kind, .numbers = action.numbers, .handles = {}, .outline = {}};
  describe_disc(object, action, {static_cast<double>(width), static_cast<double>(height)});
  return object;
}

void save_bodies(State& state, const std::vector<PlacedBody>& bodies) {
  if (bodies.empty()) return;
  std::vector<double> table;
  for (const PlacedBody& body : bodies) {
    std::vector<double> row = {static_cast<double>(body.id),
                               static_cast<double>(body_kind(body.action.kind) - std::begin(body_kinds))};
    for (const std::string& id : number_ids(body.action.kind)) row.push_back(body.action.get(id));
    row.resize(body_columns);
    table.insert(table.end(), row.begin(), row.end());
  }
  state.put("bodies", {bodies.size(), body_columns}, "", table);
}

std::vector<PlacedBody> read_bodies(const State& state, int width, int height) {
  std::vector<PlacedBody> bodies;
  if (!state.has("bodies")) return bodies;
  const std::size_t count = require_rows(state, "bodies", body_columns, 1, max_placed_bodies, "bodies");
  const std::vector<double> table = state.get<double>("bodies", {count, body_columns});
  const auto within = [&](std::size_t k, double low, double high, const Message& what) {
    require_within("bodies", std::span<const double>(&table[k], 1), low, high, [&](std::size_t) { return what; });
  };
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t row = b * body_columns;
    within(row, 1, largest_object_id, "a number of a body");
    within(row + 1, 0, static_cast<double>(std::size(body_kinds) - 1), "a kind of body");
    const BodyKind& kind = body_kinds[static_cast<std::size_t>(table[row + 1])];
    Action action{kind.id, {}, {}, {}};
    const std::vector<std::string> ids = number_ids(kind.id);
    const ActionKind& described = *find_kind(action_kinds(), kind.id);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const auto field = std::find_if(described.fields.begin(), described.fields.end(),
                                      [&](const ValueInfo& info) { return info.id == ids[k]; });
      within(row + 2 + k, field->minimum, field->maximum, Message("{} of body {}", ids[k], b));
      action.numbers[ids[k]] = table[row + 2 + k];
    }
    bodies.push_back(placed_body(static_cast<int>(table[row]), action, width, height));
  }
  return bodies;
}

}  // namespace perturb::lbm
