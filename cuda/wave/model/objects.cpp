#include "cuda/wave/model/objects.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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

}  // namespace perturb::wave
