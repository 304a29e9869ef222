// Drawings of curves for printed pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// The ranges of the axes, in the curve's units.
struct CurveAxes {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
};

// An <svg> element: the measured curve, its theory, and a sketch of it with dashes, for white paper, with texts in the
// selected language. Without `axes` all points are shown. Points that are not finite interrupt a line.
std::string curve_as_svg(const Curve& curve, const std::vector<CurvePoint>& sketch = {},
                         const std::optional<CurveAxes>& axes = {});

}  // namespace perturb
