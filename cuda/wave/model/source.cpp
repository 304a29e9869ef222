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

// Position and velocity along one axis, which reverses at every side.
struct Travel {
  double x, velocity;
};
Travel travel_now(double x, double velocity, double elapsed, double extent, bool periodic) {
  const double way = velocity * elapsed / extent;
  const bool reversed = !periodic && static_cast<long long>(std::floor(x + way)) % 2 != 0;
  return {travel(x, way, periodic), reversed ? -velocity : velocity};
}

// Grows from 0 to 1 with slope 0 at both ends.
double smooth_ramp(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

bool is_train(const Source& s) { return s.waves > 0 && s.frequency > 0; }

// Whether steps and grid carry waves of this frequency. At zero wave speed there are no waves that could be wrong.
bool is_carried(double frequency, const Parameters& p) {
  return frequency * p.time_step < 0.5 && (courant_number(p) <= 0 || frequency < highest_carried_frequency(p));
}

Message why_not_carried(double frequency, const Parameters& p) {
  const auto in_frequency = [](double value, int digits) { return with_unit(format_number(value, digits), "1/time"); };
  const Message number = in_frequency(frequency, 4);
  if (frequency * p.time_step >= 0.5)
    return Message(
        "The frequency {} is too high for a time step of {}. With fewer than two steps per period the source would "
        "emit waves of a lower frequency. Use a frequency below {}, or lower the time step.",
        number, with_unit(format_number(p.time_step, 4), "time"), in_frequency(0.5 / p.time_step, 3));
  return Message(
      "At frequency {} the waves of a source are too short for the grid. With fewer than two cells per wavelength they "
      "do not travel. Use a frequency below {}, lower the cell size or raise the wave speed.",
      number, in_frequency(highest_carried_frequency(p), 3));
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
  const double periods = (time - source.begun) * source.frequency;
  if (is_train(source)) {
    if (!(periods > 0 && periods < source.waves)) return 0;
    const double edge = std::min(1.0, source.waves / 2);
    return source.amplitude * smooth_ramp(std::min(periods, source.waves - periods) / edge) *
           sine(2 * std::numbers::pi * periods + source.phase);
  }
  const double ramp = source.frequency > 0 ? std::clamp(periods, 0.0, 1.0) : 1.0;
  return source.amplitude * ramp * sine(2 * std::numbers::pi * source.frequency * time + source.phase);
}

bool has_ended(const Source& source, double time) {
  return is_train(source) && (time - source.begun) * source.frequency >= source.waves;
}

std::string source_kind(const Source& source) { return source.is_line ? "line-source" : "oscillator"; }

std::map<std::string, double> source_numbers(const Source& s, const Grid& tank, double time) {
  std::map<std::string, double> numbers = {
      {"frequency", s.frequency}, {"amplitude", s.amplitude}, {"phase", s.phase}, {"waves", s.waves}};
  if (s.is_line) {
    numbers["x0"] = s.x0;
    numbers["y0"] = s.y0;
    numbers["x1"] = s.x1;
    numbers["y1"] = s.y1;
  } else {
    const double elapsed = time - s.start;
    const Travel x = travel_now(s.x0, s.velocity_x, elapsed, tank.width * tank.cell_size, tank.periodic_x);
    const Travel y = travel_now(s.y0, s.velocity_y, elapsed, tank.height * tank.cell_size, tank.periodic_y);
    numbers["x"] = x.x;
    numbers["y"] = y.x;
    numbers["vx"] = x.velocity;
    numbers["vy"] = y.velocity;
    numbers["radius"] = s.radius;
  }
  return numbers;
}

std::vector<double> sources_to_table(std::span<const Source> sources) {
  std::vector<double> table;
  for (const Source& s : sources)
    table.insert(table.end(),
                 {s.x0, s.y0, s.x1, s.y1, s.frequency, s.amplitude, s.phase, s.radius, s.velocity_x, s.velocity_y,
                  s.start, s.waves, s.begun, s.is_line ? 1.0 : 0.0, static_cast<double>(s.id)});
  return table;
}

std::vector<Source> sources_from_table(std::span<const double> table, int columns) {
  std::vector<Source> sources;
  const auto size = static_cast<std::size_t>(columns);
  for (std::size_t k = 0; k + size <= table.size(); k += size) {
    Source s{table[k],     table[k + 1], table[k + 2], table[k + 3], table[k + 4], table[k + 5],
             table[k + 6], table[k + 7], table[k + 8], table[k + 9], table[k + 10]};
    if (columns == early_source_columns) {
      s.begun = s.start;
      s.is_line = s.x0 != s.x1 || s.y0 != s.y1;
      s.id = static_cast<int>(sources.size()) + 1;
    } else {
      s.waves = table[k + 11];
      s.begun = table[k + 12];
      s.is_line = table[k + 13] != 0;
      s.id = static_cast<int>(table[k + 14]);
    }
    sources.push_back(s);
  }
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
  double max_waves = 0;
  for (const Source& s : list_) {
    if (s.amplitude == 0) continue;
    // A source faster than its waves sends none ahead; its speed has a separate gauge.
    const double speed = std::hypot(s.velocity_x, s.velocity_y);
    const double heard = speed < waves ? s.frequency / (1 - speed / waves) : s.frequency;
    max_waves = std::max(max_waves, waves_in_a_cell(heard, p, factor));
  }
  return max_waves;
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

std::size_t Sources::active(double time) const {
  return static_cast<std::size_t>(
      std::count_if(list_.begin(), list_.end(), [&](const Source& s) { return !has_ended(s, time); }));
}

bool Sources::has_trains() const { return std::any_of(list_.begin(), list_.end(), is_train); }

namespace {

Source source_of(const std::string& kind, const std::map<std::string, double>& numbers, double time) {
  Source s;
  s.is_line = kind == "line-source";
  if (s.is_line) {
    s.x0 = numbers.at("x0");
    s.y0 = numbers.at("y0");
    s.x1 = numbers.at("x1");
    s.y1 = numbers.at("y1");
  } else {
    s.x0 = s.x1 = numbers.at("x");
    s.y0 = s.y1 = numbers.at("y");
    s.radius = numbers.at("radius");
    s.velocity_x = numbers.at("vx");
    s.velocity_y = numbers.at("vy");
  }
  s.frequency = numbers.at("frequency");
  s.amplitude = numbers.at("amplitude");
  s.phase = numbers.at("phase");
  s.waves = numbers.at("waves");
  s.start = s.begun = time;
  return s;
}

void require_inside(const Source& s) {
  if (!s.is_line && !(s.x0 >= 0 && s.x0 < 1 && s.y0 >= 0 && s.y0 < 1))
    throw InputError("Cannot place the oscillator outside the tank. Use x and y from 0 to 1.");
}
void require_carried_waves(const Source& s, const Parameters& parameters) {
  if (!is_carried(s.frequency, parameters))
    throw InputError(Message("Cannot place a source.") + why_not_carried(s.frequency, parameters));
}

// The time from which the periods must count, so that their number at `time` stays when `before.frequency` changes.
// From one period on, the ramp of a continuous source is complete; a train that has ended stays so.
double begun_with(const Source& before, double frequency, double time) {
  if (!(frequency > 0)) return before.begun;
  const double periods = (time - before.begun) * before.frequency;
  const double counted = before.frequency > 0 ? std::clamp(periods, 0.0, std::max(1.0, before.waves) + 1) : 1;
  return std::max(time - counted / frequency, -1e300);
}

}  // namespace

void Sources::add(const Action& action, int id, double time, const Parameters& parameters) {
  if (list_.size() >= max_wave_sources)
    throw InputError(
        "Cannot place another source: at most {} are allowed. Remove one first (right click with the oscillator tool, "
        "or remove-source).",
        max_wave_sources);
  Source s = source_of(action.kind, action.numbers, time);
  s.id = id;
  require_inside(s);
  require_carried_waves(s, parameters);
  list_.push_back(s);
}

void Sources::change(const Action& action, int id, const Grid& tank, double time, const Parameters& parameters) {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const Source& s) { return s.id == id; });
  if (found == list_.end()) throw Error("internal: no source is object {}", id);
  const Source before = *found;
  const auto given = [&](const char* number) { return action.numbers.contains(number); };
  const std::map<std::string, double> present = source_numbers(before, tank, time);
  std::map<std::string, double> numbers = action.numbers;
  numbers.insert(present.begin(), present.end());
  Source s = source_of(source_kind(before), numbers, time);
  s.id = before.id;
  s.begun = before.begun;
  if (given("x") || given("y")) require_inside(s);
  require_carried_waves(s, parameters);

  const auto changes = [&](const char* number) { return given(number) && numbers.at(number) != present.at(number); };
  if (changes("frequency")) {
    s.begun = begun_with(before, s.frequency, time);
    const double turn = 2 * std::numbers::pi;
    if (!given("phase") && s.frequency == 0 && before.amplitude != 0) {
      // Without a ramp, it stands still at this height.
      s.phase = std::asin(std::clamp(source_height(before, time) / before.amplitude, -1.0, 1.0));
    } else if (!given("phase") && !is_train(s)) {  // a train is counted from its begin, not by the tank's time
      s.phase = std::remainder(turn * (before.frequency - s.frequency) * time + s.phase, turn);
    }
  }
  if (given("waves")) s.begun = time;
  bool moves = given("waves") || changes("frequency");
  for (const char* number : {"x0", "y0", "x1", "y1", "x", "y", "vx", "vy"}) moves = moves || changes(number);
  if (!moves) {
    s.x0 = before.x0;
    s.y0 = before.y0;
    s.x1 = before.x1;
    s.y1 = before.y1;
    s.velocity_x = before.velocity_x;
    s.velocity_y = before.velocity_y;
    s.start = before.start;
  }
  *found = s;
}

bool Sources::remove(int id) {
  return std::erase_if(list_, [&](const Source& s) { return s.id == id; }) > 0;
}

void Sources::remove_nearest(double x, double y, double reach, const Grid& tank, double time) {
  // Distance from the point to the segment, in cells, then to the edge of the held cells, in units of length.
  const auto distance = [&](const Source& s) {
    const SourcePlace at = source_place(s, tank, time);
    const double dx = (at.x1 - at.x0) * tank.width, dy = (at.y1 - at.y0) * tank.height, length2 = dx * dx + dy * dy;
    double nearest = 1e300;
    for (int b = tank.periodic_y ? -1 : 0; b <= (tank.periodic_y ? 1 : 0); ++b)
      for (int a = tank.periodic_x ? -1 : 0; a <= (tank.periodic_x ? 1 : 0); ++a) {
        const double px = (x + a - at.x0) * tank.width, py = (y + b - at.y0) * tank.height;
        const double t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
        nearest = std::min(nearest, std::hypot(px - t * dx, py - t * dy));
      }
    return nearest * tank.cell_size - s.radius;
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
