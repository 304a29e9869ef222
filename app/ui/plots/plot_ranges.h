// Ranges of the axes of a plot while the user zooms and pans, and values read from its lines. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Part of an axis, in its own units; on a logarithmic axis in base-10 logarithms.
struct PlotRange {
  double low = 0, high = 1;
  double width() const { return high - low; }
  bool operator==(const PlotRange&) const = default;
};

// The range scaled by `factor` about a value, which keeps its place. `whole`: the range of the data, which limits the
// zoom: out to 10 times its width, in to what the digits of a number can distinguish.
PlotRange zoomed(const PlotRange& range, double about, double factor, const PlotRange& whole);
// The range moved by a share of its width.
PlotRange panned(const PlotRange& range, double share);

// The value of a line at x, linear between its points; none outside of them and in a gap (values that are not finite).
// Of a line that returns to the same x, the first of them counts.
std::optional<double> value_at(const std::vector<CurvePoint>& points, double x);

// The parts of a line in a box: lines are cut at its edges, and a point that is not finite separates the parts. So
// positions on the screen stay small at any zoom.
std::vector<CurvePoint> clipped(const std::vector<CurvePoint>& points, const PlotRange& x, const PlotRange& y);

// The period of an oscillation in the newer half of a series over time, in units of x: the mean interval between
// crossings of the middle from below to above. None if there are less than four of them, if the intervals differ by
// more than half of their median, or if there are less than four points per period.
std::optional<double> oscillation_period(const std::vector<CurvePoint>& points);

// About a third, a tenth and a thirtieth of a duration, each rounded down to 1, 2 or 5 times a power of ten. Empty
// unless it is positive.
std::vector<double> round_parts(double duration);

}  // namespace perturb
