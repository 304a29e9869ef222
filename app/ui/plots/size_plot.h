// The times of the kernels on grids of several sizes, with the sizes at which the field no longer fits into a cache.
#pragma once

#include <vector>

#include "app/run/run_status.h"
#include "app/run/size_sweep.h"
#include "app/ui/plots/plots.h"

namespace perturb {

struct SizePlot {
  PlotFrame frame;
  std::vector<PlotLine> lines;                  // of the kernels, and a vertical one for each cache
  std::vector<std::vector<CurvePoint>> points;  // of the lines; base-10 logarithms
};

// No lines if nothing is measured.
SizePlot make_size_plot(const RunStatus& run, const SizeTimings& sizes);

}  // namespace perturb
