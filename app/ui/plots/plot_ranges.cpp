#include "app/ui/plots/plot_ranges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace perturb {

namespace {

// Limits of the zoom: widths relative to the data, and to the size of the numbers.
constexpr double widest = 10, narrowest = 1e-9, finest = 1e-12;
// Share of the amplitude that a series has to leave the middle between two crossings: noise is not an oscillation.
constexpr double hysteresis = 0.2;
constexpr std::size_t min_crossings = 4, max_crossings = 20;
constexpr double min_points_per_period = 4;

bool is_finite(const CurvePoint& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

}  // namespace

PlotRange zoomed(const PlotRange& range, double about, double factor, const PlotRange& whole) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const double min_width = std::max(narrowest * whole.width(), finest * size), max_width = widest * whole.width();
  if (!(range.width() > 0) || !(max_width > min_width)) return range;
  const double width = std::clamp(range.width() * factor, min_width, max_width);
  const double share = (about - range.low) / range.width();
  return {about - share * width, about + (1 - share) * width};
}

PlotRange panned(const PlotRange& range, double share) {
  const double way = share * range.width();
  return {range.low + way, range.high + way};
}

std::optional<double> value_at(const std::vector<CurvePoint>& points, double x) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) continue;
    if (points[i].x == x) return points[i].y;
    if (i + 1 == points.size() || !is_finite(points[i + 1])) continue;
    const CurvePoint &a = points[i], &b = points[i + 1];
    if ((a.x < x && x < b.x) || (b.x < x && x < a.x)) return a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y);
  }
  return std::nullopt;
}

std::vector<CurvePoint> clipped(const std::vector<CurvePoint>& points, const PlotRange& x, const PlotRange& y) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto is_inside = [&](const CurvePoint& p) {
    return p.x >= x.low && p.x <= x.high && p.y >= y.low && p.y <= y.high;
  };
  std::vector<CurvePoint> parts;
  const auto add = [&](const CurvePoint& p) {
    if (parts.empty() || parts.back().x != p.x || parts.back().y != p.y) parts.push_back(p);
  };
  const auto end_part = [&] {
    if (!parts.empty() && is_finite(parts.back())) parts.push_back({nan, nan});
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& b = points[i];
    if (!is_finite(b)) {
      end_part();
      continue;
    }
    if (i == 0 || !is_finite(points[i - 1])) {
      if (is_inside(b)) add(b);
      continue;
    }
    // The part of the line from a to b that is inside, as shares of its length.
    const CurvePoint& a = points[i - 1];
    double first = 0, last = 1;
    const auto cut = [&](double from, double to, const PlotRange& range) {
      if (from == to) {
        if (from < range.low || from > range.high) last = -1;
        return;
      }
      const double at_low = (range.low - from) / (to - from), at_high = (range.high - from) / (to - from);
      first = std::max(first, std::min(at_low, at_high));
      last = std::min(last, std::max(at_low, at_high));
    };
    cut(a.x, b.x, x);
    cut(a.y, b.y, y);
    if (first > last) {
      end_part();
      continue;
    }
    if (first > 0) end_part();
    add(first > 0 ? CurvePoint{a.x + first * (b.x - a.x), a.y + first * (b.y - a.y)} : a);
    add(last < 1 ? CurvePoint{a.x + last * (b.x - a.x), a.y + last * (b.y - a.y)} : b);
  }
  return parts;
}

std::optional<double> oscillation_period(const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> newer;
  for (std::size_t i = points.size() / 2; i < points.size(); ++i)
    if (is_finite(points[i])) newer.push_back(points[i]);
  if (newer.size() < min_points_per_period * static_cast<double>(min_crossings - 1)) return std::nullopt;
  const auto [low, high] = std::minmax_element(newer.begin(), newer.end(),
                                               [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
  const double middle = 0.5 * (low->y + high->y), margin = hysteresis * 0.5 * (high->y - low->y);
  if (!(margin > 0)) return std::nullopt;
  std::vector<double> crossings;
  bool was_below = false;
  double crossing = 0;
  for (std::size_t i = 1; i < newer.size(); ++i) {
    const CurvePoint &a = newer[i - 1], &b = newer[i];
    if (a.y < middle - margin) was_below = true;
    if (a.y < middle && b.y >= middle) crossing = a.x + (middle - a.y) / (b.y - a.y) * (b.x - a.x);
    if (was_below && b.y > middle + margin) {
      crossings.push_back(crossing);
      was_below = false;
    }
  }
  if (crossings.size() < min_crossings) return std::nullopt;
  if (crossings.size() > max_crossings)
    crossings.erase(crossings.begin(), crossings.end() - static_cast<std::ptrdiff_t>(max_crossings));
  std::vector<double> intervals;
  for (std::size_t i = 1; i < crossings.size(); ++i) intervals.push_back(crossings[i] - crossings[i - 1]);
  const double period = (crossings.back() - crossings.front()) / static_cast<double>(intervals.size());
  std::sort(intervals.begin(), intervals.end());
  const double median = intervals[intervals.size() / 2];
  if (!(intervals.front() > 0.5 * median) || !(intervals.back() < 1.5 * median)) return std::nullopt;
  const double spacing = (newer.back().x - newer.front().x) / static_cast<double>(newer.size() - 1);
  if (!(period >= min_points_per_period * spacing)) return std::nullopt;
  return period;
}

std::vector<double> round_parts(double duration) {
  std::vector<double> parts;
  if (!(duration > 0) || !std::isfinite(duration)) return parts;
  for (const double share : {3.0, 10.0, 30.0}) {
    const double part = duration / share * (1 + 1e-9), decade = std::pow(10.0, std::floor(std::log10(part)));
    double round = decade;
    for (const double digit : {2.0, 5.0})
      if (digit * decade <= part) round = digit * decade;
    if (parts.empty() || round < parts.back()) parts.push_back(round);
  }
  return parts;
}

}  // namespace perturb
