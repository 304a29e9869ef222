#include "app/ui/plots/size_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/ui/plots/roofline_plot.h"

namespace perturb {

SizePlot make_size_plot(const RunStatus& run, const SizeTimings& sizes) {
  SizePlot plot;
  plot.frame = {"Time per cell by size", "cells", "s"};
  plot.frame.logarithmic_x = plot.frame.logarithmic_y = plot.frame.marks = true;
  std::vector<std::vector<CurvePoint>> of_kernel(run.info->kernels.size());
  double min_x = std::numeric_limits<double>::infinity(), max_x = -min_x, shortest = min_x, longest = max_x;
  for (const SizeTiming& timing : sizes.timings) {
    if (timing.kernel >= of_kernel.size() || !(timing.cells > 0) || !(timing.seconds_per_step > 0)) continue;
    const CurvePoint point{std::log10(timing.cells), std::log10(timing.seconds_per_step / timing.cells)};
    of_kernel[timing.kernel].push_back(point);
    min_x = std::min(min_x, point.x);
    max_x = std::max(max_x, point.x);
    shortest = std::min(shortest, point.y);
    longest = std::max(longest, point.y);
  }
  for (std::size_t k = 0; k < of_kernel.size(); ++k) {
    if (of_kernel[k].empty()) continue;
    plot.lines.push_back({Message(run.info->kernels[k].title), nullptr, kernel_ink(k)});
    plot.points.push_back(std::move(of_kernel[k]));
  }
  for (const Cache& cache : sizes.caches) {
    const double at = std::log10(static_cast<double>(cache.bytes) / sizes.bytes_per_cell);
    if (!(at >= min_x && at <= max_x)) continue;
    plot.lines.push_back({{"L{} cache, {}", cache.level, format_bytes(cache.bytes)}, nullptr, color::dim, true});
    plot.points.push_back({{at, shortest}, {at, longest}});
  }
  for (std::size_t k = 0; k < plot.lines.size(); ++k) plot.lines[k].points = &plot.points[k];
  return plot;
}

}  // namespace perturb
