#include "app/ui/plots/roofline_plot.h"

#include <algorithm>
#include <cmath>

#include "app/run/si_prefix.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

ImU32 kernel_ink(std::size_t kernel) { return plot_ink(kernel); }

Message prefixed_text(double value, const std::string& unit) {
  const auto [number, prefix] = with_si_prefix(value);
  return {"{}\u00a0{}{}", number_text(number, 3), Message::value(prefix), Message(unit)};
}

RooflinePlot make_roofline_plot(const RunStatus& run) {
  RooflinePlot plot;
  plot.frame = {"Roofline of the kernels", "flop per byte of memory traffic", "flop/s"};
  plot.frame.logarithmic_x = plot.frame.logarithmic_y = plot.frame.marks = true;
  if (!run.roofline || !(run.roofline->bytes_per_second > 0) || !(run.roofline->flops_per_second > 0)) return plot;
  const double bandwidth = std::log10(run.roofline->bytes_per_second),
               peak = std::log10(run.roofline->flops_per_second);
  const double ridge = peak - bandwidth;  // where a kernel needs the same time for both
  double low = ridge - 1, high = ridge + 1;
  std::vector<std::size_t> measured;
  std::vector<CurvePoint> rates;
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelFigures figures = figures_of(run.kernels[k], run.roofline);
    if (!figures.intensity || !figures.flops_per_second) continue;
    measured.push_back(k);
    rates.push_back({std::log10(*figures.intensity), std::log10(*figures.flops_per_second)});
    low = std::min(low, rates.back().x - 1);
    high = std::max(high, rates.back().x + 0.5);
  }
  if (measured.empty()) return plot;
  plot.points.push_back({{low, low + bandwidth}, {ridge, peak}});
  plot.points.push_back({{ridge, peak}, {high, peak}});
  for (const CurvePoint& rate : rates) plot.points.push_back({rate});
  plot.lines.push_back(
      {{"memory, {}", prefixed_text(run.roofline->bytes_per_second, "B/s")}, nullptr, color::dim, true});
  plot.lines.push_back(
      {{"arithmetic, {}", prefixed_text(run.roofline->flops_per_second, "flop/s")}, nullptr, color::faint, true});
  for (std::size_t n = 0; n < measured.size(); ++n) {
    const std::size_t k = measured[n];
    const Message title(run.info->kernels[k].title);
    // The roof is that of the memory; caches are faster.
    const bool is_above = rates[n].y > std::min(peak, rates[n].x + bandwidth) + 0.01;
    plot.lines.push_back(
        {is_above ? Message("{} (above the roof: from a cache)", title) : title, nullptr, kernel_ink(k)});
  }
  for (std::size_t k = 0; k < plot.lines.size(); ++k) plot.lines[k].points = &plot.points[k];
  return plot;
}

}  // namespace perturb
