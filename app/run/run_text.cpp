#include "app/run/run_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

bool gauge_is_crossed(const Gauge& gauge) {
  return gauge.advisory ? gauge.level() == Gauge::Level::near : gauge.level() == Gauge::Level::exceeded;
}

std::vector<std::string> GaugeLines::new_lines(const std::vector<Gauge>& gauges,
                                               const std::vector<Parameter>& parameters) {
  std::vector<std::string> lines;
  for (const Gauge& gauge : gauges) {
    if (!gauge.measured) continue;
    const bool crossed = gauge_is_crossed(gauge);
    if (!crossed) crossed_.erase(gauge.id);
    if (gauge.level() == Gauge::Level::good) continue;
    if (!(crossed ? crossed_ : near_).insert(gauge.id).second) continue;
    std::string line = gauge.label + " is " + format_number(gauge.value, 3);
    if (!gauge.advisory)
      line += (crossed ? ", past its limit of " : ", near its limit of ") + format_number(gauge.limit, 3);
    lines.push_back(line + ". " + gauge_advice(gauge, parameters, [](const Parameter& p) { return p.id; }));
  }
  return lines;
}

namespace {

// Side of an image whose colours encode values, so that the positions of the extremes can be read from it.
constexpr int probe_image_side = 96;

std::string spoken_number(double value) {
  const bool is_whole = value == std::round(value) && std::abs(value) < 1e6;
  return is_whole ? std::to_string(std::lround(value)) : format_number(value, 4);
}

std::string spoken_value(double value, const std::string& unit) {
  return spoken_number(value) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string position_text(Camera::Point place) {
  const int column = place.x < 1.0 / 3 ? 0 : place.x > 2.0 / 3 ? 2 : 1;
  const int row = place.y < 1.0 / 3 ? 0 : place.y > 2.0 / 3 ? 2 : 1;
  if (column == 1 && row == 1) return "in the middle";
  const char* const rows[] = {"lower", "middle", "upper"};
  const char* const columns[] = {"left", "middle", "right"};
  if (column == 1) return row == 0 ? "at the lower side" : "at the upper side";
  return std::string("at the ") + rows[row] + " " + columns[column];
}

std::optional<Extremes> find_extremes(Experiment& experiment, const ViewSettings& view, const Diagnostics& now) {
  const SimulationInfo& info = experiment.info();
  const Quantity& quantity = info.quantities[quantity_index(info, view.quantity)];
  if (info.orbits || quantity.has_depth || !(now.maximum > now.minimum)) return std::nullopt;
  Backend& backend = experiment.backend();
  Array<std::uint32_t> memory(backend, std::size_t{probe_image_side} * probe_image_side, "position of values");
  const ColorTable table(backend, counted_colormap());
  ViewSettings painted = view;
  painted.colormap = table.id();
  painted.minimum = now.minimum, painted.maximum = now.maximum;
  painted.smooth = false;
  experiment.simulation().paint({memory.data(), probe_image_side, probe_image_side, probe_image_side}, Camera{},
                                painted, table);
  backend.synchronize();
  const std::vector<std::uint32_t> picture = memory.download();
  const double width = experiment.simulation().domain_width(), height = experiment.simulation().domain_height();
  const PixelToDomain places = Camera{}.pixel_to_domain(probe_image_side, probe_image_side, width, height);
  std::optional<Extremes> found;
  std::uint32_t low = counted_values, high = 0;
  for (int row = 0; row < probe_image_side; ++row)
    for (int column = 0; column < probe_image_side; ++column) {
      const std::uint32_t pixel =
          picture[static_cast<std::size_t>(row) * probe_image_side + static_cast<std::size_t>(column)];
      const std::uint32_t value = counted_value(pixel);
      const Camera::Point at{static_cast<double>(places.x(column)), static_cast<double>(places.y(row))};
      if (!is_counted(pixel) || at.x < 0 || at.x > 1 || at.y < 0 || at.y > 1) continue;
      if (!found) found = Extremes{at, at}, low = high = value;
      if (value < low) low = value, found->lowest = at;
      if (value > high) high = value, found->highest = at;
    }
  if (high == low) return std::nullopt;
  return found;
}

std::string describe(Experiment& experiment, const ViewSettings& view) {
  const SimulationInfo& info = experiment.info();
  const Simulation& simulation = experiment.simulation();
  const std::string& title = experiment.scene().title;
  const Quantity& quantity = info.quantities[quantity_index(info, view.quantity)];
  const Diagnostics now = experiment.simulation().diagnostics(view, true);
  std::string text = info.title + (title.empty() || title == info.title ? "" : ", " + title) + ", step " +
                     std::to_string(simulation.steps()) + ", time " + spoken_number(simulation.time()) +
                     ". Shown: " + quantity.label;
  if (std::isfinite(now.minimum) && std::isfinite(now.maximum) && now.maximum >= now.minimum) {
    const std::optional<Extremes> where = find_extremes(experiment, view, now);
    const auto at = [&](const Camera::Point& place) { return where ? " (" + position_text(place) + ")" : ""; };
    text += ", from " + spoken_number(now.minimum) + (where ? at(where->lowest) : "") + " to " +
            spoken_value(now.maximum, quantity.unit) + (where ? at(where->highest) : "");
  }
  if (const std::string over = describe_layer(info, view); !over.empty()) text += ". " + over;
  const ShownRange range = shown_range(view, quantity);
  text += "; the colours go from " + spoken_number(range.low) + " to " + spoken_number(range.high) + ".";
  for (const Scalar& scalar : now.scalars)
    if (std::isfinite(scalar.value)) text += " " + scalar.label + ": " + spoken_value(scalar.value, scalar.unit) + ".";
  for (const Gauge& gauge : simulation.gauges()) {
    if (!gauge.measured) {
      text += " " + gauge.label + ": not measured yet.";
      continue;
    }
    const char* const level = gauge.level() == Gauge::Level::good   ? ", OK"
                              : gauge.level() == Gauge::Level::near ? ", near its limit"
                                                                    : ", past its limit";
    text += " " + gauge.label + ": " + spoken_number(gauge.value);
    text += gauge.advisory ? "." : " of " + spoken_number(gauge.limit) + level + ".";
  }
  if (!experiment.stop_reason().empty()) text += " The run has stopped: " + experiment.stop_reason();
  return text;
}

}  // namespace perturb
