// The rates of the kernels below the measured peak rates of this machine: flop/s over flop per byte.
#pragma once

#include <string>
#include <vector>

#include "app/run/run_status.h"
#include "app/ui/plots/plots.h"

namespace perturb {

struct RooflinePlot {
  PlotFrame frame;
  std::vector<PlotLine> lines;                  // the bandwidth, the arithmetic, and a point for each measured kernel
  std::vector<std::vector<CurvePoint>> points;  // of the lines; base-10 logarithms
};

// No lines if no kernel or no peak rate is measured.
RooflinePlot make_roofline_plot(const RunStatus& run);

// The colour of a kernel in the plot, by its index in the table.
ImU32 kernel_ink(std::size_t kernel);

// A number with an SI prefix and its unit: "12.3 GB/s".
Message prefixed_text(double value, const std::string& unit);

}  // namespace perturb
