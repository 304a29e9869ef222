#include "app/ui/plots/plot_list.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/plots/order_by_meaning.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

constexpr std::size_t lines_over_time = 4;  // scalars in one plot

PlotData plot_of(const Curve& curve) {
  PlotData plot{"curve/" + curve.id, {}, {{"measured", &curve.points, color::accent}}};
  plot.lines.front().groups = &curve.groups;
  const bool is_fit = curve.theory_is_fit;
  if (!curve.theory.empty())
    plot.lines.push_back({is_fit ? "fit" : "theory", &curve.theory, plot_ink(1), true, is_fit ? nullptr : &curve});
  plot.frame = {curve.label, name_with_unit(curve.x_label, curve.x_unit), name_with_unit(curve.y_label, curve.y_unit)};
  // The title already names the quantity.
  if (curve.y_label == curve.label) plot.frame.y_label = axis_label_of(curve.y_unit);
  plot.x_name = curve.x_label;
  plot.x_unit = curve.x_unit;
  plot.is_trace = curve.x_label == Message("Time") || curve.x_label == Message("time");
  plot.frame.has_transient = plot.is_trace;
  plot.frame.logarithmic_y = curve.logarithmic_y;
  plot.y_unit = curve.y_unit;
  plot.units = curve.x_unit + " / " + curve.y_unit + (curve.logarithmic_y ? " / logarithmic" : "");
  if (curve.logarithmic_y) plot.frame.y_label = Message("{} (logarithmic)", plot.frame.y_label);
  return plot;
}

// Scalars with the same meaning and unit share a plot, which is named after the meaning. That of `wanted` is shown at
// first.
std::vector<PlotData> plots_over_time(const std::vector<History::Series>& series, const std::string& time_unit,
                                      const std::string& wanted) {
  std::vector<PlotData> plots;
  const std::vector<std::size_t> order = order_by_meaning(series);
  std::vector<bool> drawn(series.size(), false);
  for (const std::size_t i : order) {
    if (drawn[i]) continue;
    const History::Series& first = series[i];
    PlotData plot{"time/" + first.id, {}, {}, true};
    for (const std::size_t j : order) {
      if (plot.lines.size() >= lines_over_time) break;
      if (drawn[j] || series[j].meaning != first.meaning || series[j].unit != first.unit) continue;
      // Numbers without a unit need not have a common scale.
      if (j != i && first.unit.empty()) continue;
      drawn[j] = true;
      plot.shown = plot.shown || series[j].id == wanted;
      plot.lines.push_back({series[j].label, &series[j].points, plot_ink(plot.lines.size())});
      plot.lines.back().groups = &series[j].groups;
    }
    plot.frame = {plot.lines.size() > 1 ? Message(label_of(first.meaning)) : Message(first.label),
                  name_with_unit("time", time_unit), axis_label_of(first.unit)};
    if (plot.lines.size() == 1 && names_unit(first.label, first.unit)) plot.frame.y_label = {};
    plot.is_trace = true;
    plot.x_name = "time";
    plot.x_unit = time_unit;
    plot.frame.has_transient = true;
    plot.y_unit = first.unit;
    plot.units = "time / " + first.unit;
    plots.push_back(std::move(plot));
  }
  return plots;
}

// No two rows of the list have the same name: the unit, or else a number, shows which is which.
void make_titles_unique(std::vector<PlotData>& plots) {
  const auto count = [&](const Message& title, std::size_t end) {
    return std::count_if(plots.begin(), plots.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](const PlotData& plot) { return plot.frame.title == title; });
  };
  std::vector<bool> is_shared;
  for (const PlotData& plot : plots) is_shared.push_back(count(plot.frame.title, plots.size()) > 1);
  for (std::size_t k = 0; k < plots.size(); ++k)
    if (is_shared[k]) plots[k].frame.title = Message("{}, {}", plots[k].frame.title, axis_label_of(plots[k].y_unit));
  for (std::size_t k = 0; k < plots.size(); ++k)
    if (const auto same = count(plots[k].frame.title, k); same > 0)
      plots[k].frame.title = Message("{} ({})", plots[k].frame.title, same + 1);
}

// The measurement that the scene names for its plots, or its first reading that has a history; empty: none has.
std::string first_measurement(const Scene& scene, const std::vector<History::Series>& series) {
  std::vector<std::string> wanted = scene.simple.readings;
  wanted.insert(wanted.begin(), scene.plot);
  for (const std::string& reading : wanted)
    for (const History::Series& one : series)
      if (one.id == reading) return reading;
  return {};
}

// Times and values in displayed units.
History::Series shown_series(const DisplayUnits& units, double time_factor, History::Series series) {
  const DisplayUnit unit = display_unit(units, series.unit, series.id);
  series.unit = unit.text;
  for (CurvePoint& p : series.points) p = {p.x * time_factor, p.y * unit.factor};
  for (SampleGroup& group : series.groups) group = group.scaled(time_factor, unit.factor);
  return series;
}

}  // namespace

PlotList current_plots(const Panel& panel) {
  const PlotDock& dock = panel.interface().plots;
  PlotList list;
  const DisplayUnits& units = panel.session.display_units();
  const SimulationInfo& info = panel.session.info();
  list.curves = panel.session.instruments().curves(info, panel.session.domain(), units);
  const std::size_t of_instruments = list.curves.size();
  for (const Curve& curve : panel.session.diagnostics_poller().latest().curves) list.curves.push_back(curve);
  for (Curve& curve : list.curves) curve = in_display_units(units, info, std::move(curve));
  std::vector<PlotData> all;
  for (const Curve& curve : list.curves) all.push_back(plot_of(curve));
  // The curve that the scene names, otherwise the first one, unless it names a measurement over time.
  const std::string& named = panel.run().scene->plot;
  const auto found =
      std::find_if(list.curves.begin(), list.curves.end(), [&](const Curve& curve) { return curve.id == named; });
  const bool names_measurement = found == list.curves.end() && !named.empty();
  const std::size_t first = found != list.curves.end() ? static_cast<std::size_t>(found - list.curves.begin())
                            : names_measurement        ? all.size()
                                                       : 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    // The spectrum of a probe follows its trace, and is shown on request.
    const bool is_spectrum = k > 0 && k < of_instruments && list.curves[k].id == list.curves[k - 1].id + "_spectrum";
    all[k].is_probe = k < of_instruments && all[k].is_trace;
    all[k].shown = of_instruments > 0 ? k < of_instruments && !is_spectrum : k == first;
  }
  const std::vector<History::Series>& history = panel.session.diagnostics_poller().history().series();
  const DisplayUnit time = time_unit(units, info);
  if (!units.empty())
    for (const History::Series& one : history) list.series.push_back(shown_series(units, time.factor, one));
  const std::string time_name = time.text == "time" ? "" : time.text;
  const bool shows_measurement = list.curves.empty() || (of_instruments == 0 && names_measurement);
  const std::string wanted = shows_measurement ? first_measurement(*panel.run().scene, history) : "";
  for (PlotData& plot : plots_over_time(units.empty() ? history : list.series, time_name, wanted))
    all.push_back(std::move(plot));
  if (shows_measurement && wanted.empty() && !all.empty()) all.front().shown = true;
  if (!panel.interface().preferences.simple) {
    list.roofline = make_roofline_plot(panel.run());
    list.sizes = make_size_plot(panel.run(), panel.session.kernel_controller().sizes());
  }
  const auto add_of_kernels = [&](const char* id, const auto& of_kernels) {
    if (of_kernels.lines.empty()) return;
    PlotData plot{id, of_kernels.frame, of_kernels.lines};
    plot.units = id;                           // none of the others is over the same axes
    all.insert(all.begin(), std::move(plot));  // it opens from another tab, and must be in sight then
  };
  add_of_kernels(size_plot, list.sizes);
  add_of_kernels(roofline_plot, list.roofline);
  make_titles_unique(all);
  list.plots = overlay_plots(std::move(all), dock.overlays);
  for (PlotData& plot : list.plots)
    if (const auto choice = dock.choices.find(plot.id); choice != dock.choices.end()) plot.shown = choice->second;
  return list;
}

void draw_curve(const Style& style, const Curve& curve, float height) {
  const PlotData plot = plot_of(curve);
  draw_plot(style, plot.frame, plot.lines, height);
}

}  // namespace perturb
