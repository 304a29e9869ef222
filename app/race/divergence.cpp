#include "app/race/divergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace perturb {

namespace {

constexpr std::size_t max_points = 1024;
constexpr double min_growth = 100, first_share = 0.1, last_share = 0.8;
// Below this share of the variance the difference does not grow like an exponential.
constexpr double min_determination = 0.8;
constexpr std::size_t min_points = 4;

// The least-squares line through points, and the share of the variance that it explains.
struct Line {
  double slope = 0, y_at_0 = 0, determination = 0;
};
Line line_through(const std::vector<CurvePoint>& points) {
  double x = 0, y = 0;
  for (const CurvePoint& p : points) {
    x += p.x;
    y += p.y;
  }
  const auto n = static_cast<double>(points.size());
  x /= n;
  y /= n;
  double xx = 0, xy = 0, yy = 0;
  for (const CurvePoint& p : points) {
    xx += (p.x - x) * (p.x - x);
    xy += (p.x - x) * (p.y - y);
    yy += (p.y - y) * (p.y - y);
  }
  if (!(xx > 0) || !(yy > 0)) return {};
  return {xy / xx, y - xy / xx * x, xy * xy / (xx * yy)};
}

}  // namespace

void Divergence::add(std::int64_t step, double time, double difference) {
  if (!takes(step)) return;
  points_.push_back({step, time, difference});
  if (points_.size() <= max_points) return;
  interval_ *= 2;
  std::erase_if(points_, [this](const Point& point) { return !takes(point.step); });
}

std::vector<CurvePoint> Divergence::logarithms() const {
  std::vector<CurvePoint> curve;
  for (const Point& point : points_)
    if (point.difference > 0 && std::isfinite(point.difference))
      curve.push_back({point.time, std::log10(point.difference)});
  return curve;
}

std::optional<Growth> Divergence::growth() const {
  std::vector<CurvePoint> rise = logarithms();
  for (CurvePoint& point : rise) point.y *= std::log(10.0);
  const auto by_y = [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; };
  const auto top = std::max_element(rise.begin(), rise.end(), by_y);
  if (top == rise.end()) return {};
  const double bottom = std::min_element(rise.begin(), top + 1, by_y)->y, height = top->y - bottom;
  if (height < std::log(min_growth)) return {};
  const auto last =
      std::find_if(rise.begin(), rise.end(), [&](const CurvePoint& p) { return p.y >= bottom + last_share * height; });
  auto first = last;
  while (first != rise.begin() && first->y > bottom + first_share * height) --first;
  const auto count = static_cast<std::size_t>(last - first) + 1;
  if (count < min_points) return {};
  const std::vector<CurvePoint> fitted(first, last + 1);
  const Line line = line_through(fitted);
  if (!(line.determination >= min_determination)) return {};
  // The beginning of a difference often grows like a power of time, over many decades too.
  std::vector<CurvePoint> by_logarithm;
  for (const CurvePoint& point : fitted)
    if (point.x > 0) by_logarithm.push_back({std::log(point.x), point.y});
  if (line_through(by_logarithm).determination > line.determination) return {};
  return Growth{line.slope, line.y_at_0, fitted.front().x, fitted.back().x};
}

}  // namespace perturb
