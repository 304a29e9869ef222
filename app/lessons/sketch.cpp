#include "app/lessons/sketch.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/io/files/text_file.h"
#include "app/io/preset/quotes.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/value_info.h"

namespace perturb {

namespace {

// The fraction of the width that must be drawn.
constexpr double least_drawn = 0.8;

double height_at(const std::vector<CurvePoint>& sketch, double x) {
  if (x <= sketch.front().x) return sketch.front().y;
  if (x >= sketch.back().x) return sketch.back().y;
  const auto right = std::upper_bound(sketch.begin(), sketch.end(), x,
                                      [](double value, const CurvePoint& point) { return value < point.x; });
  const CurvePoint &b = *right, &a = *(right - 1);
  return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
}

double sketch_number(const std::string& text, const std::string& where) {
  try {
    return real_value("sketch", "A number", "", "", 0, -1e300, 1e300, "").parse(text);
  } catch (const InputError&) {
    throw InputError(where + ": a line of a sketch is two numbers, such as 0.5,1.25.");
  }
}

}  // namespace

SketchScore compare_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked,
                           const std::vector<CurvePoint>& measured) {
  double lowest = 0, highest = 0, both = 0, own = 0;
  int count = 0;
  for (const CurvePoint& point : measured) {
    if (point.x < asked.x0 || point.x > asked.x1 || !std::isfinite(point.y)) continue;
    lowest = count == 0 ? point.y : std::min(lowest, point.y),
    highest = count == 0 ? point.y : std::max(highest, point.y);
    const double drawn = height_at(sketch, point.x);
    both += drawn * point.y, own += drawn * drawn;
    ++count;
  }
  if (count == 0 || !(highest > lowest)) throw InputError("There is nothing to measure yet: let the run go on.");
  SketchScore score;
  if (asked.free_height && own > 0 && both > 0) score.factor = both / own;
  double sum = 0;
  for (const CurvePoint& point : measured) {
    if (point.x < asked.x0 || point.x > asked.x1 || !std::isfinite(point.y)) continue;
    const double away = score.factor * height_at(sketch, point.x) - point.y;
    sum += away * away;
  }
  score.distance = std::sqrt(sum / count) / (highest - lowest);
  return score;
}

void require_whole_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked) {
  for (std::size_t k = 0; k + 1 < sketch.size(); ++k)
    if (!(sketch[k].x < sketch[k + 1].x)) throw InputError("A sketch goes from left to right: draw it anew.");
  if (sketch.size() < 2 || sketch.back().x - sketch.front().x < least_drawn * (asked.x1 - asked.x0))
    throw InputError("Draw the curve over the whole width, from the left edge to the right one.");
}

std::vector<CurvePoint> read_sketch(const std::string& path) {
  std::istringstream text(read_text_file(path, "sketch"));
  std::vector<CurvePoint> sketch;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::string where = path + ":" + std::to_string(number);
    const std::size_t comma = line.find(',');
    if (comma == std::string::npos) throw InputError(where + ": a line of a sketch is two numbers, such as 0.5,1.25.");
    sketch.push_back({sketch_number(line.substr(0, comma), where), sketch_number(line.substr(comma + 1), where)});
  }
  return sketch;
}

const Curve& curve_of(const Diagnostics& diagnostics, const std::string& id) {
  std::vector<std::string> known;
  for (const Curve& curve : diagnostics.curves) {
    if (curve.id == id) return curve;
    known.push_back(curve.id);
  }
  throw InputError("The run draws no curve " + in_quotes(id) + did_you_mean(id, known));
}

}  // namespace perturb
