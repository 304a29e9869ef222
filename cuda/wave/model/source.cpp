#include "cuda/wave/model/source.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/simulation/format.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

namespace {

// Position in [0, 1] of a point that starts at `x` and moves by `way` (both in fractions). It reverses at the ends, or
// re-enters at the opposite one. A closed form, so that the path does not depend on how steps are grouped.
double travel(double x, double way, bool periodic) {
  if (way == 0) return x;
  const double sum = x + way;
  if (periodic) return sum - std::floor(sum);
  const double folded = sum - 2 * std::floor(sum / 2);  // in [0, 2)
  return folded <= 1 ? folded : 2 - folded;
}

// Whether steps and grid carry waves of this frequency. At zero wave speed there are no waves that could be wrong.
bool is_carried(double frequency, const Parameters& p) {
  return frequency * p.time_step < 0.5 && (courant_number(p) <= 0 || frequency < highest_carried_frequency(p));
}

Message why_not_carried(double frequency, const Parameters& p) {
  const std::string number = format_number(frequency, 4);
  if (frequency * p.time_step >= 0.5)
    return Message(
        "The frequency {} is too high for a time step of {}. With fewer than two steps per period the source would "
        "emit waves of a lower frequency. Use a frequency below {}, or lower the time step.",
        number, format_number(p.time_step, 4), format_number(0.5 / p.time_step, 3));
  return Message(
      "At frequency {} the waves of a source are too short for the grid. With fewer than two cells per wavelength they "
      "do not travel. Use a frequency below {}, lower the cell size or raise the wave speed.",
      number, format_number(highest_carried_frequency(p), 3));
}

}  // namespace

double waves_in_a_cell(double frequency, const Parameters& p, double factor) {
  // Beyond the limit, the number only shows by how much it is exceeded.
  const double w = std::numbers::pi * std::min(frequency * p.time_step, 0.5);
  const double courant = courant_number(p) * factor, sine_of_half = std::sin(w) / courant;
  return sine_of_half < 1 ? std::asin(sine_of_half) / std::numbers::pi : 0.5 * sine_of_half;
}

double highest_carried_frequency(const Parameters& p) {
  return std::asin(std::min(courant_number(p), 1.0)) / (std::numbers::pi * p.time_step);
}

SourcePlace source_place(const Source& source, const Grid& tank, double time) {
  const double elapsed = time - source.start;
  const double way_x = source.velocity_x * elapsed / (tank.width * tank.cell_size);
  const double way_y = source.velocity_y * elapsed / (tank.height * tank.cell_size);
  // The first end follows the path; the second keeps its offset from it.
  const double x = travel(source.x0, way_x, tank.periodic_x), y = travel(source.y0, way_y, tank.periodic_y);
  return {x, y, x + (source.x1 - source.x0), y + (source.y1 - source.y0)};
}

double source_height(const Source& source, double time) {
  const double periods = (time - source.start) * source.frequency;
  const double ramp = source.frequency > 0 ? std::clamp(periods, 0.0, 1.0) : 1.0;
  return source.amplitude * ramp * sine(2 * std::numbers::pi * source.frequency * time + source.phase);
}

std::vector<double> sources_to_table(std::span<const Source> sources) {
  std::vector<double> table;
  for (const Source& s : sources)
    table.insert(table.end(), {s.x0, s.y0, s.x1, s.y1, s.frequency, s.amplitude, s.phase, s.radius, s.velocity_x,
                               s.velocity_y, s.start});
  return table;
}

std::vector<Source> sources_from_table(std::span<const double> table) {
  std::vector<Source> sources;
  for (std::size_t k = 0; k + source_columns <= table.size(); k += source_columns)
    sources.push_back({table[k], table[k + 1], table[k + 2], table[k + 3], table[k + 4], table[k + 5], table[k + 6],
                       table[k + 7], table[k + 8], table[k + 9], table[k + 10]});
  return sources;
}

double Sources::fastest() const {
  double speed = 0;
  for (const Source& s : list_) speed = std::max(speed, std::hypot(s.velocity_x, s.velocity_y));
  return speed;
}

double Sources::highest_frequency() const {
  double highest = 0;
  for (const Source& s : list_) highest = std::max(highest, s.amplitude != 0 ? s.frequency : 0);
  return highest;
}

double Sources::shortest_waves(const Parameters& p, double factor) const {
  const double waves = p.wave_speed * factor;
  double most = 0;
  for (const Source& s : list_) {
    if (s.amplitude == 0) continue;
    // A source faster than its waves sends none ahead; its speed has a separate gauge.
    const double speed = std::hypot(s.velocity_x, s.velocity_y);
    const double heard = speed < waves ? s.frequency / (1 - speed / waves) : s.frequency;
    most = std::max(most, waves_in_a_cell(heard, p, factor));
  }
  return most;
}

void Sources::require_carried(const std::string& id, const Parameters& changed, const Parameters& now) const {
  const auto name_of = [](const std::string& parameter) {
    const Parameter* const record = find_parameter(parameter_table(), parameter);
    return record ? Message::parameter(record->id, record->label) : Message::value(parameter);
  };
  for (const Source& s : list_)
    if (is_carried(s.frequency, now) && !is_carried(s.frequency, changed))
      throw InputError(Message("Cannot change {}.", name_of(id)) + why_not_carried(s.frequency, changed));
}

void Sources::add(const Action& action, double time, const Parameters& parameters) {
  if (list_.size() >= max_wave_sources)
    throw InputError(
        "Cannot place another source: at most {} are allowed. Remove one first (right click with the oscillator tool, "
        "or remove-source).",
        max_wave_sources);
  Source s;
  if (action.kind == "line-source") {
    s.x0 = action.get("x0"), s.y0 = action.get("y0");
    s.x1 = action.get("x1"), s.y1 = action.get("y1");
  } else {
    s.x0 = s.x1 = action.get("x"), s.y0 = s.y1 = action.get("y");
    if (!(s.x0 >= 0 && s.x0 < 1 && s.y0 >= 0 && s.y0 < 1))
      throw InputError("Cannot place the oscillator outside the tank. Use x and y from 0 to 1.");
    s.radius = action.get("radius");
    s.velocity_x = action.get("vx"), s.velocity_y = action.get("vy");
  }
  s.frequency = action.get("frequency"), s.amplitude = action.get("amplitude"), s.phase = action.get("phase");
  s.start = time;
  if (!is_carried(s.frequency, parameters))
    throw InputError(Message("Cannot place a source.") + why_not_carried(s.frequency, parameters));
  list_.push_back(s);
}

void Sources::remove_nearest(double x, double y, double reach, const Grid& tank, double time) {
  // Distance from the point to the segment, in cells, then to the edge of the held cells, in units of length.
  const auto distance = [&](const Source& s) {
    const SourcePlace at = source_place(s, tank, time);
    const double dx = (at.x1 - at.x0) * tank.width, dy = (at.y1 - at.y0) * tank.height, length2 = dx * dx + dy * dy;
    const double px = (x - at.x0) * tank.width, py = (y - at.y0) * tank.height;
    const double t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
    return std::hypot(px - t * dx, py - t * dy) * tank.cell_size - s.radius;
  };
  const auto nearest = std::min_element(list_.begin(), list_.end(),
                                        [&](const Source& a, const Source& b) { return distance(a) < distance(b); });
  if (nearest == list_.end() || distance(*nearest) > reach)
    throw InputError("No source here. Click on the ring or line that marks a source.");
  list_.erase(nearest);
}

void Sources::save_to(State& state) const {
  if (list_.empty()) return;
  state.put<double>("sources", {list_.size(), source_columns}, "", sources_to_table(list_));
}

}  // namespace perturb::wave
