#include "app/run/run_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

Message gauge_advice(const Gauge& gauge, const std::vector<Parameter>& parameters) {
  for (const Parameter& p : parameters)
    if (p.id == gauge.remedy.text()) return gauge.help + Message("Lower {}.", Message::parameter(p.id, p.label));
  return gauge.help + gauge.remedy;
}

Message count_text(const Scene& scene) {
  return {"{}: {} of {}, as many as this computer can run smoothly.", Message(scene.count.label), scene.setup.width,
          scene.count.preset};
}

bool gauge_is_crossed(const Gauge& gauge) {
  return gauge.advisory ? gauge.level() == Gauge::Level::near : gauge.level() == Gauge::Level::exceeded;
}

double gauge_share(const Gauge& gauge) {
  const Gauge::Level level = gauge.level();
  if (level == Gauge::Level::unknown) return 0;
  if (!gauge.advisory && gauge.limit > 0 && std::isfinite(gauge.limit) && std::isfinite(gauge.value))
    return std::clamp(gauge.value / gauge.limit, 0.0, gauge_span);
  return level == Gauge::Level::good ? 0 : gauge_span;
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
    std::string line = gauge.label.english() + " is " + format_number(gauge.value, 3);
    if (!gauge.advisory)
      line += (crossed ? ", past its limit of " : ", near its limit of ") + format_number(gauge.limit, 3);
    lines.push_back(line + ". " + gauge_advice(gauge, parameters).english());
  }
  return lines;
}

namespace {

// Side of an image whose colours encode values, so that the positions of the extremes can be read from it.
constexpr int probe_image_side = 96;

// Without an exponent, which screen readers read as a letter: "2529000".
std::string spoken_number(double value) {
  constexpr int digits = 4, max_places = 12;
  if (!std::isfinite(value)) return format_number(value, digits);
  const double size = std::abs(value);
  if (value == std::round(value) && size < 1e6) return std::to_string(std::lround(value));
  const int power = size > 0 ? static_cast<int>(std::floor(std::log10(size))) : 0;
  if (power > 15 || power < digits - max_places) return format_number(value, digits);
  const double unit = std::pow(10.0, power - digits + 1);
  if (power >= digits - 1) return std::to_string(std::llround(std::round(value / unit) * unit));
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits - 1 - power, value);
  std::string trimmed = text;
  trimmed.erase(trimmed.find_last_not_of('0') + 1);
  if (trimmed.back() == '.') trimmed.pop_back();
  return trimmed;
}

Message spoken_value(double value, const std::string& unit) { return with_unit(spoken_number(value), unit); }

// "0.043 (at the middle right)"
Message value_at_position(const Message& value, const std::optional<Camera::Point>& place) {
  return place ? Message("{} ({})", value, position_text(*place)) : value;
}

Message gauge_text(const Gauge& gauge) {
  const Message label(gauge.label);
  if (!gauge.measured) return Message("{}: not measured yet.", label);
  const std::string value = spoken_number(gauge.value), limit = spoken_number(gauge.limit);
  if (gauge.advisory) return Message("{}: {}.", label, value);
  switch (gauge.level()) {
    case Gauge::Level::good:
      return Message("{}: {} of {}, OK.", label, value, limit);
    case Gauge::Level::near:
      return Message("{}: {} of {}, near its limit.", label, value, limit);
    default:
      return Message("{}: {} of {}, past its limit.", label, value, limit);
  }
}

}  // namespace

const char* position_text(Camera::Point place) {
  const int column = place.x < 1.0 / 3 ? 0 : place.x > 2.0 / 3 ? 2 : 1;
  const int row = place.y < 1.0 / 3 ? 0 : place.y > 2.0 / 3 ? 2 : 1;
  constexpr const char* texts[3][3] = {{"at the lower left", "at the lower side", "at the lower right"},
                                       {"at the middle left", "in the middle", "at the middle right"},
                                       {"at the upper left", "at the upper side", "at the upper right"}};
  return texts[row][column];
}

std::optional<Extremes> find_extremes(Experiment& experiment, const ViewSettings& view, const Diagnostics& now) {
  const SimulationInfo& info = experiment.info();
  const Quantity& quantity = info.quantities[quantity_index(info, view.quantity)];
  if (!experiment.scene().lanes.empty()) return std::nullopt;  // the image shows several domains
  if (info.orbits || quantity.has_depth || !(now.maximum > now.minimum)) return std::nullopt;
  Backend& backend = experiment.backend();
  Array<std::uint32_t> memory(backend, std::size_t{probe_image_side} * probe_image_side, "position of values");
  const ColorTable table(backend, counted_colormap());
  ViewSettings painted = view;
  painted.colormap = table.id();
  painted.minimum = now.minimum;
  painted.maximum = now.maximum;
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
      if (!found) {
        found = Extremes{at, at};
        low = high = value;
      }
      if (value < low) {
        low = value;
        found->lowest = at;
      }
      if (value > high) {
        high = value;
        found->highest = at;
      }
    }
  if (high == low) return std::nullopt;
  return found;
}

Message describe(Experiment& experiment, const ViewSettings& view, const DisplayUnits& units) {
  const SimulationInfo& info = experiment.info();
  const Simulation& simulation = experiment.simulation();
  const std::string& title = experiment.scene().title;
  const Quantity& quantity = info.quantities[quantity_index(info, view.quantity)];
  const Diagnostics now = experiment.simulation().diagnostics(view, true);
  const Message of = title.empty() || title == info.title ? Message(info.title)
                                                          : Message("{}, {}", Message(info.title), Message(title));
  const DisplayUnit time = time_unit(units, info), colors = display_unit(units, quantity.unit, quantity.id);
  Message text("{}, step {}, time {}.", of, simulation.steps(),
               spoken_value(simulation.time() * time.factor, time.text == "time" ? "" : time.text));
  const Message shown(quantity.label);
  const ShownRange range = shown_range(view, quantity);
  const std::string first_color = spoken_number(range.low * colors.factor),
                    last_color = spoken_number(range.high * colors.factor);
  if (std::isfinite(now.minimum) && std::isfinite(now.maximum) && now.maximum >= now.minimum) {
    std::optional<Camera::Point> lowest, highest;
    if (const std::optional<Extremes> where = find_extremes(experiment, view, now)) {
      lowest = where->lowest;
      highest = where->highest;
    }
    const Message low = Message::value(spoken_number(now.minimum * colors.factor)),
                  high = spoken_value(now.maximum * colors.factor, colors.text);
    text = text + Message("Shown: {}, from {} to {}; the colours go from {} to {}.", shown,
                          value_at_position(low, lowest), value_at_position(high, highest), first_color, last_color);
  } else {
    text = text + Message("Shown: {}; the colours go from {} to {}.", shown, first_color, last_color);
  }
  if (const Message over = layer_text(units, info, view); !over.empty()) text = text + Message("{}.", over);
  for (const Scalar& scalar : now.scalars) {
    if (!std::isfinite(scalar.value)) continue;
    const DisplayUnit unit = display_unit(units, scalar.unit, scalar.id);
    text = text + Message("{}: {}.", Message(scalar.label), spoken_value(scalar.value * unit.factor, unit.text));
  }
  for (const Gauge& gauge : simulation.gauges()) text = text + gauge_text(gauge);
  if (!experiment.stop_reason().empty()) text = text + Message("The run has stopped: {}", experiment.stop_reason());
  return text;
}

}  // namespace perturb
