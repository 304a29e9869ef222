#include "cuda/wave/model/objects.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/wave/actions.h"
#include "cuda/wave/model/medium.h"

namespace perturb::wave {

namespace {

// A circle or an ellipse around a point, as fractions of the domain.
std::vector<CurvePoint> ellipse(double x, double y, double half_width, double half_height) {
  constexpr int sides = 64;
  std::vector<CurvePoint> points;
  for (int k = 0; k <= sides; ++k) {
    const double angle = 2 * std::numbers::pi * (k % sides) / sides;
    points.push_back({x + half_width * std::cos(angle), y + half_height * std::sin(angle)});
  }
  return points;
}

std::vector<CurvePoint> rectangle(double x0, double y0, double x1, double y1) {
  return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}};
}

// A handle beyond the tank's sides would be out of reach.
double reachable(double fraction) { return std::clamp(fraction, 0.01, 0.99); }

const ActionKind& kind_of(const std::string& id) {
  const ActionKind* kind = find_kind(action_kinds(), id);
  if (!kind) throw Error("internal: no kind of action is called {}", id);
  return *kind;
}

}  // namespace

SceneObject source_object(const Source& source, const Grid& tank, double time) {
  SceneObject object{source.id, source_kind(source), source_numbers(source, tank, time), {}, {}};
  const double width = tank.width * tank.cell_size, height = tank.height * tank.cell_size;
  const SourcePlace at = source_place(source, tank, time);
  if (source.is_line) {
    object.handles = {{.label = "Position",
                       .x = 0.5 * (at.x0 + at.x1),
                       .y = 0.5 * (at.y0 + at.y1),
                       .effects = {{"x0", 1, 0}, {"x1", 1, 0}, {"y0", 0, 1}, {"y1", 0, 1}}},
                      {.label = "End", .x = at.x0, .y = at.y0, .effects = {{"x0", 1, 0}, {"y0", 0, 1}}},
                      {.label = "End", .x = at.x1, .y = at.y1, .effects = {{"x1", 1, 0}, {"y1", 0, 1}}}};
    object.outline = {{at.x0, at.y0}, {at.x1, at.y1}};
    return object;
  }
  const double radius = std::max(source.radius, 0.75 * tank.cell_size);  // as in hard_source_of
  object.outline = ellipse(at.x0, at.y0, radius / width, radius / height);
  // Next to the ring, so that both handles of a small disc can be reached; on its inner side.
  const double side = at.x0 < 0.5 ? 1 : -1, gap = 0.02 * std::min(width, height);
  object.handles = {{.label = "Position", .x = at.x0, .y = at.y0, .effects = {{"x", 1, 0}, {"y", 0, 1}}},
                    {.label = "Radius",
                     .x = at.x0 + side * (radius + gap) / width,
                     .y = at.y0,
                     .effects = {{"radius", side * width, 0}}}};
  return object;
}

Action placed_object(const std::string& kind, double x, double y, const Grid& tank, const Parameters& parameters,
                     const Source* like) {
  const double width = tank.width * tank.cell_size, height = tank.height * tank.cell_size;
  const double size = std::min(width, height);
  const auto inside = [](double fraction) { return std::clamp(fraction, 0.0, 1.0); };
  Action action{kind, {{"x", x}, {"y", y}}, {}, {}};
  if (kind == "oscillator" || kind == "line-source") {
    if (kind == "line-source") {
      const double half = 0.3 * size / height;
      action.numbers = {{"x0", x}, {"x1", x}, {"y0", inside(y - half)}, {"y1", inside(y + half)}};
    } else {
      action.numbers["radius"] = rounded(0.01 * size, 2);
    }
    // Ten cells resolve a wave.
    const double wavelength = std::max(size / 12, 10 * tank.cell_size);
    if (like) {
      action.numbers["frequency"] = like->frequency;
      action.numbers["amplitude"] = like->amplitude;
    } else if (parameters.wave_speed > 0) {
      action.numbers["frequency"] =
          rounded(std::min(parameters.wave_speed / wavelength, 0.1 / parameters.time_step), 2);
    }
  } else if (kind == "slits") {
    action.numbers["width"] = rounded(0.04 * size, 2);
    action.numbers["distance"] = rounded(0.16 * size, 2);
    action.numbers["thickness"] = rounded(0.015 * size, 2);
  } else if (kind == "lens") {
    action.numbers["radius_x"] = rounded(0.06 * size / width, 2);
    action.numbers["radius_y"] = rounded(0.18 * size / height, 2);
  } else {
    const double half_width = 0.12 * size / width, half_height = 0.18 * size / height;
    action.numbers = {{"x0", inside(x - half_width)},
                      {"x1", inside(x + half_width)},
                      {"y0", inside(y - half_height)},
                      {"y1", inside(y + half_height)}};
  }
  return action;
}

const std::vector<std::string>& built_kinds() {
  static const std::vector<std::string> kinds = {"slits", "lens", "region"};
  return kinds;
}

Overlay overlay_of(const BuiltObject& object, const Grid& tank) {
  const auto number = [&](const char* id) { return object.numbers.at(id); };
  const auto cells = [&](const char* id) { return static_cast<float>(number(id) / tank.cell_size); };
  const auto column = [&](const char* id) { return exact_cells(number(id) * tank.width, tank.width); };
  const auto row = [&](const char* id) { return exact_cells(number(id) * tank.height, tank.height); };
  Overlay overlay;
  Shape& shape = overlay.shape;
  shape.kind = Shape::Kind::rectangle;
  if (object.kind == "slits") {
    // A wall and an opening of any size have at least one column and one row.
    const auto half_of = [&](const char* id, int count) {
      return exact_cells(0.5 * number(id) / tank.cell_size, count);
    };
    const float half = std::max(half_of("thickness", tank.width), 0.5f), x = column("x"), y = row("y");
    const float half_length = half_of("length", tank.height);
    shape.line = {x - half, 0, x + half, static_cast<float>(tank.height)};
    if (half_length > 0) {
      shape.line.y0 = y - half_length;
      shape.line.y1 = y + half_length;
    }
    shape.openings = {static_cast<int>(number("number")), y, cells("distance"), std::max(0.5f * cells("width"), 0.5f)};
    overlay.is_wall = true;
    shape = repeated(shape, tank);
    return overlay;
  }
  if (object.kind == "lens") {
    shape.kind = Shape::Kind::ellipse;
    shape.line = {column("x"), row("y"), column("radius_x"), row("radius_y")};
  } else {
    shape.line = {std::min(column("x0"), column("x1")), std::min(row("y0"), row("y1")),
                  std::max(column("x0"), column("x1")), std::max(row("y0"), row("y1"))};
  }
  overlay.ramp.from = overlay.ramp.to = static_cast<float>(number("factor"));
  shape = repeated(shape, tank);
  return overlay;
}

std::vector<Overlay> overlays_of(std::span<const BuiltObject> objects, const Grid& tank) {
  std::vector<Overlay> overlays;
  for (const BuiltObject& object : objects) overlays.push_back(overlay_of(object, tank));
  return overlays;
}

SceneObject built_object(const BuiltObject& built, const Grid& tank) {
  SceneObject object{built.id, built.kind, built.numbers, {}, {}};
  const auto number = [&](const char* id) { return built.numbers.at(id); };
  const double width = tank.width * tank.cell_size, height = tank.height * tank.cell_size;
  const double gap = 0.02 * std::min(width, height);  // between handles, so that each can be reached
  if (built.kind == "region") {
    const double x0 = number("x0"), y0 = number("y0"), x1 = number("x1"), y1 = number("y1");
    const double x = reachable(0.5 * (x0 + x1)), y = reachable(0.5 * (y0 + y1));
    object.handles = {
        {.label = "Position", .x = x, .y = y, .effects = {{"x0", 1, 0}, {"x1", 1, 0}, {"y0", 0, 1}, {"y1", 0, 1}}},
        {.label = "Side", .x = reachable(x0), .y = y, .effects = {{"x0", 1, 0}}},
        {.label = "Side", .x = reachable(x1), .y = y, .effects = {{"x1", 1, 0}}},
        {.label = "Side", .x = x, .y = reachable(y0), .effects = {{"y0", 0, 1}}},
        {.label = "Side", .x = x, .y = reachable(y1), .effects = {{"y1", 0, 1}}}};
    object.outline = rectangle(x0, y0, x1, y1);
    return object;
  }
  const double x = number("x"), y = number("y");
  object.handles = {{.label = "Position", .x = x, .y = y, .effects = {{"x", 1, 0}, {"y", 0, 1}}}};
  if (built.kind == "lens") {
    const double half_width = number("radius_x"), half_height = number("radius_y");
    object.handles.push_back({.label = "Half width",
                              .x = reachable(x + std::max(half_width, gap / width)),
                              .y = y,
                              .effects = {{"radius_x", 1, 0}}});
    object.handles.push_back({.label = "Half height",
                              .x = x,
                              .y = reachable(y + std::max(half_height, gap / height)),
                              .effects = {{"radius_y", 0, 1}}});
    object.outline = ellipse(x, y, half_width, half_height);
    return object;
  }
  const double half = 0.5 * (number("number") - 1), distance = number("distance"), length = number("length");
  // The distance at both outer slits, the width below the lowest, so that it can be reached next to the distance.
  if (half > 0)
    object.handles.push_back({.label = "Distance",
                              .x = x,
                              .y = reachable(y + std::max(half * distance, gap) / height),
                              .effects = {{"distance", 0, height / half}}});
  object.handles.push_back({.label = "Width",
                            .x = x,
                            .y = reachable(y - (half * distance + std::max(0.5 * number("width"), 2 * gap)) / height),
                            .effects = {{"width", 0, -2 * height}}});
  if (length > 0)
    object.handles.push_back({.label = "Length",
                              .x = x,
                              .y = reachable(y + std::max(0.5 * length, gap) / height),
                              .effects = {{"length", 0, 2 * height}}});
  if (half > 0)
    object.handles.push_back({.label = "Distance",
                              .x = x,
                              .y = reachable(y - std::max(half * distance, gap) / height),
                              .effects = {{"distance", 0, -height / half}}});
  const double side = 0.5 * number("thickness") / width, end = 0.5 * length / height;
  object.outline = length > 0 ? rectangle(x - side, y - end, x + side, y + end) : rectangle(x - side, 0, x + side, 1);
  return object;
}

bool are_merged(const BuiltObject& slits) {
  return slits.kind == "slits" && slits.numbers.at("number") > 1 &&
         slits.numbers.at("width") >= slits.numbers.at("distance");
}

void save_built(std::span<const BuiltObject> objects, State& state) {
  if (objects.empty()) return;
  std::vector<double> table;
  for (const BuiltObject& object : objects) {
    const auto place = std::find(built_kinds().begin(), built_kinds().end(), object.kind) - built_kinds().begin();
    std::vector<double> row = {static_cast<double>(object.id), static_cast<double>(place)};
    for (const ValueInfo& field : kind_of(object.kind).fields) row.push_back(object.numbers.at(field.id));
    row.resize(built_columns);
    table.insert(table.end(), row.begin(), row.end());
  }
  state.put<double>("objects", {objects.size(), built_columns}, "", table);
}

std::vector<BuiltObject> read_built(const State& state) {
  if (!state.has("objects")) return {};
  const std::size_t count = require_rows(state, "objects", built_columns, 0, max_overlays, "objects");
  const std::vector<double> table = state.get<double>("objects", {count, built_columns});
  require_finite("objects", std::span<const double>(table), list_index_formatter("object", built_columns));
  const auto require = [&](std::size_t k, std::size_t column, double min_value, double max_value, const Message& what) {
    require_within("objects", std::span<const double>(table.data() + k * built_columns + column, 1), min_value,
                   max_value, [&](std::size_t) { return Message("{} of object {}", what, k); });
  };
  std::vector<BuiltObject> objects;
  for (std::size_t k = 0; k < count; ++k) {
    const double* const row = table.data() + k * built_columns;
    require(k, 0, 1, 1e9, "number");
    require(k, 1, 0, static_cast<double>(built_kinds().size() - 1), "kind");
    BuiltObject object{static_cast<int>(row[0]), built_kinds()[static_cast<std::size_t>(row[1])], {}};
    std::size_t column = 2;
    for (const ValueInfo& field : kind_of(object.kind).fields) {
      require(k, column, field.minimum, field.maximum, Message::value(field.id));
      object.numbers[field.id] = row[column++];
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace perturb::wave
