#include "app/lessons/curve_svg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/i18n/language.h"
#include "app/io/files/printable.h"
#include "app/io/files/unicode.h"
#include "app/run/ticks.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Of the drawing and of the area within the axes, in pixels.
constexpr double width = 640, height = 300, left = 76, right = 630, top = 44, bottom = 250;
constexpr const char *ink_measured = "#1b5e9e", *ink_theory = "#b3410c", *ink_sketch = "#2e7d32";
constexpr double smallest_range = 1e-12;  // of an axis, as a fraction of its numbers

bool is_finite(const CurvePoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

CurveAxes axes_of(const Curve& curve, const std::vector<CurvePoint>& sketch) {
  constexpr double far = std::numeric_limits<double>::infinity();
  CurveAxes all{far, -far, far, -far};
  for (const auto* points : {&curve.points, &curve.theory, &sketch})
    for (const CurvePoint& point : *points) {
      if (!is_finite(point)) continue;
      all = {std::min(all.x0, point.x), std::max(all.x1, point.x), std::min(all.y0, point.y),
             std::max(all.y1, point.y)};
    }
  const double margin = 0.05 * (all.y1 - all.y0);
  all.y0 -= margin;
  all.y1 += margin;
  return all;
}

// The range, widened where a curve has one value only.
void widen(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high)) low = 0, high = 1;
  if (high - low > smallest_range * std::max(std::abs(low), std::abs(high))) return;
  const double around = low == 0 ? 1 : 0.1 * std::abs(low);
  low -= around;
  high += around;
}

std::string number(double value) { return format_number(value, 5); }

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* ink = "#000") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\" fill=\"" + ink + "\">" +
         escape_for_html(text) + "</text>";
}

// "position, cm (×10⁻³)"
std::string title_of(const Message& label, const std::string& unit, const TickTexts& labels) {
  const bool names_unit = unit.empty() || folded_text(label.english()) == folded_text(unit);
  return tr(axis_title(names_unit      ? label
                       : label.empty() ? Message(unit)
                                       : Message("{}, {}", label, Message(unit)),
                       labels));
}

}  // namespace

std::string curve_as_svg(const Curve& curve, const std::vector<CurvePoint>& sketch,
                         const std::optional<CurveAxes>& given) {
  CurveAxes axes = given.value_or(axes_of(curve, sketch));
  widen(axes.x0, axes.x1);
  widen(axes.y0, axes.y1);
  const auto to_x = [&](double x) { return left + (x - axes.x0) / (axes.x1 - axes.x0) * (right - left); };
  const auto to_y = [&](double y) { return bottom - (y - axes.y0) / (axes.y1 - axes.y0) * (bottom - top); };
  std::string svg = "<svg viewBox=\"0 0 " + number(width) + " " + number(height) +
                    "\" role=\"img\" font-size=\"13\" fill=\"none\" aria-label=\"" + escape_for_html(tr(curve.label)) +
                    "\">\n";
  const Axis across = make_axis(axes.x0, axes.x1, false, 6), up = make_axis(axes.y0, axes.y1, curve.logarithmic_y, 4);
  for (std::size_t k = 0; k < up.ticks.size(); ++k) {
    const std::string y = number(to_y(up.ticks[k]));
    svg += "<path stroke=\"#ccc\" d=\"M" + number(left) + " " + y + "H" + number(right) + "\"/>" +
           text_at(left - 6, to_y(up.ticks[k]) + 4, "end", up.labels.texts[k]);
  }
  for (std::size_t k = 0; k < across.ticks.size(); ++k)
    svg += text_at(to_x(across.ticks[k]), bottom + 18, "middle", across.labels.texts[k]);
  svg += "<path stroke=\"#888\" d=\"M" + number(left) + " " + number(top) + "V" + number(bottom) + "H" + number(right) +
         "\"/>" + text_at(0, top - 12, "start", title_of(curve.y_label, curve.y_unit, up.labels)) +
         text_at(right, height - 8, "end", title_of(curve.x_label, curve.x_unit, across.labels)) + "\n";
  // An inner element cuts off what is beyond the axes.
  std::string lines = "<svg x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" + number(right - left) +
                      "\" height=\"" + number(bottom - top) + "\" viewBox=\"" + number(left) + " " + number(top) + " " +
                      number(right - left) + " " + number(bottom - top) + "\" stroke-width=\"2\">\n";
  double key = right;
  const auto draw = [&](const std::vector<CurvePoint>& points, const char* ink, const char* dashes, const char* name) {
    if (points.empty()) return;
    std::string path;
    bool is_drawn = false;  // the previous point
    for (const CurvePoint& point : points) {
      if (is_finite(point)) path += (is_drawn ? "L" : "M") + number(to_x(point.x)) + " " + number(to_y(point.y));
      is_drawn = is_finite(point);
    }
    lines += "<path stroke=\"" + std::string(ink) + "\" stroke-dasharray=\"" + dashes + "\" d=\"" + path + "\"/>\n";
    svg += text_at(key, top - 28, "end", std::string(dashes) == "none" ? "\u2014 " + tr(name) : "- - " + tr(name), ink);
    key -= 130;
  };
  draw(curve.theory, ink_theory, "6 4", "theory");
  draw(curve.points, ink_measured, "none", "measured");
  draw(sketch, ink_sketch, "2 4", "sketch");
  return svg + "\n" + lines + "</svg>\n</svg>\n";
}

}  // namespace perturb
