#include "cuda/lbm/measure/marks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/marks.h"

namespace perturb::lbm {

namespace {

void mark_forces(const Report& r, Marks& marks) {
  constexpr std::size_t max_bodies = 4;
  if (!(r.speed > 0) || r.bodies.reported.size() > max_bodies || r.annulus) return;
  const Stream stream = stream_of(r.parameters);
  for (std::size_t k = 0; k < std::min(r.forces.size(), r.bodies.reported.size()); ++k) {
    if (r.step < first_step_of_forces(r, k)) continue;
    const Body& body = r.bodies.reported[k];
    const int length = body.length(stream);
    const double pressure = 0.5 * r.speed * r.speed * length;
    const double along_x = stream.along_y ? 0 : stream.sign, along_y = stream.along_y ? stream.sign : 0;
    struct Arrow {
      double coefficient, x, y;
      const char* text;
    };
    // Lift is to the left of the stream.
    const Arrow arrows[] = {
        {lbm_drag(r.forces[k], stream) / pressure, along_x, along_y, "Drag coefficient {}"},
        {lbm_lift(r.forces[k], stream) / pressure, -along_y, along_x, "Lift coefficient {}"},
    };
    // Both are shortened alike until they end in the view, with room for their labels.
    double scale = lengths_per_coefficient * length;
    for (const Arrow& arrow : arrows) {
      if (!std::isfinite(arrow.coefficient)) continue;
      const double x = arrow.coefficient * arrow.x, y = arrow.coefficient * arrow.y;
      const auto room = [](double from, double step, double size) { return step > 0 ? size - from : from; };
      constexpr double used = 0.8;  // of the way to the side
      if (x != 0) scale = std::min(scale, used * room(body.x, x, r.width) / std::abs(x));
      if (y != 0) scale = std::min(scale, used * room(body.y, y, r.height) / std::abs(y));
    }
    for (const Arrow& arrow : arrows)
      if (std::isfinite(arrow.coefficient))
        marks.arrow({body.x, body.y},
                    {body.x + scale * arrow.coefficient * arrow.x, body.y + scale * arrow.coefficient * arrow.y},
                    Message(arrow.text, format_number(arrow.coefficient, 3)), true);
  }
}

void mark_profile(const Curve& curve, bool upright, const Report& r, Marks& marks) {
  if (curve.theory.empty()) return;
  double largest = 0;
  for (const CurvePoint& p : curve.theory) largest = std::max(largest, std::abs(p.y));
  if (!(largest > 0)) return;
  const double zero = 0.5 * (upright ? r.width : r.height), scale = profile_share * 2 * zero / largest;
  const auto at = [&](const CurvePoint& p) {
    return upright ? CurvePoint{zero + scale * p.y, p.x} : CurvePoint{p.x, zero + scale * p.y};
  };
  const auto line = [&](const std::vector<CurvePoint>& points) {
    std::vector<CurvePoint> list;
    const std::size_t stride = std::max<std::size_t>(1, points.size() / 128);
    for (std::size_t k = 0; k < points.size(); k += stride) list.push_back(at(points[k]));
    return list;
  };
  const double end = upright ? r.height : r.width;
  marks.dashed({at({0, 0}), at({end, 0})});
  marks.line(line(curve.points), {}, true);
  marks.line(line(curve.theory));
  // The label is at the largest velocity.
  const CurvePoint& peak =
      *std::max_element(curve.theory.begin(), curve.theory.end(),
                        [](const auto& a, const auto& b) { return std::abs(a.y) < std::abs(b.y); });
  marks.dashed({at({peak.x, 0}), at(peak)},
               Message("Theory, steady flow: {}", with_unit(format_number(peak.y, 3), "cell/step")));
}

}  // namespace

void add_marks(const Report& r, Diagnostics& d) {
  Marks marks(d, r.width, r.height);
  mark_forces(r, marks);
  for (const Curve& curve : d.curves) {
    if (curve.id == "profile_upright") mark_profile(curve, true, r, marks);
    if (curve.id == "profile_level") mark_profile(curve, false, r, marks);
  }
}

}  // namespace perturb::lbm
