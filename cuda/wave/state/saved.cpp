#include "cuda/wave/state/saved.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/state.h"
#include "cuda/wave/actions.h"
#include "cuda/wave/measure/screen.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

namespace {

// The permitted range of a number: that of the first of these action kinds that has a field of this id.
const ValueInfo& action_field(std::initializer_list<std::string_view> kinds, const std::string& id) {
  for (const ActionKind& kind : action_kinds())
    if (std::find(kinds.begin(), kinds.end(), kind.id) != kinds.end())
      for (const ValueInfo& field : kind.fields)
        if (field.id == id) return field;
  throw Error("internal: no action has a {}", id);
}
const ValueInfo& source_field(const std::string& id) { return action_field({"line-source", "oscillator"}, id); }

std::vector<Source> read_sources(const State& state) {
  if (!state.has("sources")) return {};
  const std::vector<std::size_t>& shape = state.datasets.at("sources").shape;
  const bool is_early = shape.size() == 2 && shape[1] == early_source_columns;
  const std::size_t columns = is_early ? early_source_columns : source_columns;
  const std::size_t count = require_rows(state, "sources", columns, 0, max_wave_sources, "sources");
  const std::vector<double> table = state.get<double>("sources", {count, columns});
  require_finite("sources", std::span<const double>(table), list_index_formatter("source", columns));
  // In the order of Source's members.
  const std::string fields[] = {"x0",    "y0",     "x1", "y1", "frequency", "amplitude",
                                "phase", "radius", "vx", "vy", "start",     "waves"};
  for (std::size_t k = 0; !is_early && k < count; ++k)
    require_within("sources", std::span<const double>(table.data() + (k + 1) * columns - 1, 1), 1, 1e9,
                   [&](std::size_t) { return Message("object of source {}", k); });
  const std::vector<Source> sources = sources_from_table(table, static_cast<int>(columns));
  for (std::size_t k = 0; k < count; ++k) {
    const double* const source = table.data() + k * columns;
    for (std::size_t f = 0; f < std::size(fields) && f < columns; ++f) {
      if (fields[f] == "start") continue;
      const ValueInfo& field = source_field(fields[f]);
      require_within("sources", std::span<const double>(source + f, 1), field.minimum, field.maximum,
                     [&](std::size_t) { return Message("{} of source {}", fields[f], k); });
    }
    if (sources[k].start > state.time || sources[k].begun > state.time)
      reject_state(Message("source {} was placed at time {}, after the state's own time {}", k,
                           format_number(std::max(sources[k].start, sources[k].begun)), format_number(state.time)));
  }
  return sources;
}

// The number of objects that were created. In states of earlier versions, they are the sources.
template <class Real>
int read_created(const State& state, const Saved<Real>& saved) {
  std::vector<int> ids;
  for (const Source& source : saved.sources) ids.push_back(source.id);
  for (const BuiltObject& object : saved.built) ids.push_back(object.id);
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) reject_state("two of its objects have the same number");
  const int last = ids.empty() ? 0 : ids.back();
  if (!state.has("created")) return last;
  const std::vector<double> created = state.get<double>("created", {1});
  require_within("created", std::span<const double>(created), last, 1e9,
                 [](std::size_t) { return Message("its number"); });
  return static_cast<int>(created[0]);
}

std::vector<AddedMode> read_modes(const State& state) {
  if (!state.has("modes")) return {};
  const std::size_t count = require_rows(state, "modes", 4, 1, max_saved_modes, "modes");
  const std::vector<double> table = state.get<double>("modes", {count, 4});
  require_finite("modes", std::span<const double>(table), list_index_formatter("mode", 4));
  std::vector<AddedMode> modes;
  for (std::size_t k = 0; k < count; ++k) {
    const double* const mode = table.data() + 4 * k;
    const char* const numbers[] = {"m", "n", "amplitude"};
    for (std::size_t f = 0; f < std::size(numbers); ++f) try {
        action_field({"mode"}, numbers[f]).check(mode[f]);
      } catch (const InputError& error) {
        reject_state(error.message());
      }
    if (!(mode[3] >= 0 && mode[3] <= state.time)) reject_state("a mode is later than the state's own time");
    modes.push_back({static_cast<int>(mode[0]), static_cast<int>(mode[1]), mode[2], mode[3]});
  }
  return modes;
}

// Walls and speed map, as in model/cell.h; empty: neither.
template <class Real>
std::vector<Real> read_medium(const State& state, const std::string& wall_name, const std::string& speed_name,
                              GridSize size) {
  const std::vector<std::size_t> grid = {static_cast<std::size_t>(size.height), static_cast<std::size_t>(size.width)};
  std::vector<Real> medium;
  if (state.has(wall_name) || state.has(speed_name)) medium.assign(grid[0] * grid[1], Real(1));
  if (state.has(speed_name)) {
    medium = state.get<Real>(speed_name, grid);
    // Values of a ramp or an image at an end of the range may exceed it by rounding errors.
    constexpr double rounding = 1e-5;
    require_within(speed_name, std::span<const Real>(medium), min_wave_factor * (1 - rounding),
                   max_wave_factor * (1 + rounding), grid_index_formatter(size));
  }
  if (state.has(wall_name)) {
    const std::vector<std::uint8_t> wall = state.get<std::uint8_t>(wall_name, grid);
    for (std::size_t k = 0; k < wall.size(); ++k)
      if (wall[k]) medium[k] = -medium[k];
  }
  return medium;
}

}  // namespace

void save_modes(const std::vector<AddedMode>& modes, State& state) {
  if (modes.empty() || modes.size() > max_saved_modes) return;
  std::vector<double> table;
  for (const AddedMode& mode : modes)
    table.insert(table.end(), {static_cast<double>(mode.m), static_cast<double>(mode.n), mode.amplitude, mode.start});
  state.put<double>("modes", {modes.size(), 4}, "", table);
}

template <class Real>
Saved<Real> read_wave_state(const State& state, GridSize size, double time_step) {
  require_state_of(state, "wave");
  require_grid(state, size, "the tank");
  const std::vector<std::size_t> grid = {static_cast<std::size_t>(size.height), static_cast<std::size_t>(size.width)};
  const IndexFormatter cell = grid_index_formatter(size);
  Saved<Real> saved;
  saved.u = state.get<Real>("u", grid);
  saved.u_previous = state.get<Real>("u_previous", grid);
  require_finite("u", std::span<const Real>(saved.u), cell);
  require_finite("u_previous", std::span<const Real>(saved.u_previous), cell);

  saved.medium = read_medium<Real>(state, "wall", "speed", size);
  saved.built = read_built(state);
  if (!saved.built.empty()) saved.painted = read_medium<Real>(state, "painted_wall", "painted_speed", size);
  saved.sources = read_sources(state);
  saved.created = read_created(state, saved);
  saved.edited_kernel = load_edited_kernel(state);
  if (state.has("screen")) {
    saved.screen = state.get<double>("screen", {screen_columns});
    saved.intensity = state.get<Real>("intensity", grid);
    saved.apertures = state.get<double>("openings", {2, grid[0]});
    const auto number = [&](std::size_t k, double min_value, double max_value, const char* name) {
      require_within("screen", std::span<const double>(saved.screen.data() + k, 1), min_value, max_value,
                     [&](std::size_t) { return Message(name); });
    };
    // The arrival time of the first waves and the wavelength may overflow, for example at very low wave speeds.
    constexpr double huge = 1e300, unbounded = std::numeric_limits<double>::infinity();
    const ValueInfo& place = action_field({"screen"}, "x");
    number(0, place.minimum, place.maximum, "its place");
    number(1, -1, unbounded, "its time");
    number(2, 0, static_cast<double>(state.steps), "its samples");
    number(3, -1, size.width - 1, "its plane");
    number(4, 0, huge, "its frequency");
    number(5, 0, unbounded, "its wavelength");
    require_finite("intensity", std::span<const Real>(saved.intensity), cell);
    require_finite("openings", std::span<const double>(saved.apertures), list_index_formatter("row", size.height));
  }

  if (state.has("clock")) {
    const std::vector<double> clock = state.get<double>("clock", {2});
    const auto steps = static_cast<double>(state.steps);
    require_within("clock", std::span<const double>(clock.data(), 1), 0, steps,
                   [](std::size_t) { return Message("its step"); });
    require_finite("clock", std::span<const double>(clock.data() + 1, 1),
                   [](std::size_t) { return Message("its time"); });
    if (clock[0] != std::floor(clock[0]))
      reject_state(Message("the clock's step is {}, and must be a whole number", format_number(clock[0])));
    saved.clock = {static_cast<std::int64_t>(clock[0]), clock[1]};
  } else if (state.time != static_cast<double>(state.steps) * time_step) {
    saved.clock = {state.steps, state.time};
  }
  saved.modes = read_modes(state);
  if (state.has("changed")) {
    const std::vector<double> changed = state.get<double>("changed", {1});
    require_within("changed", std::span<const double>(changed), 0, state.time,
                   [](std::size_t) { return Message("its time"); });
    saved.changed = changed[0];
  }
  return saved;
}

template Saved<float> read_wave_state(const State&, GridSize, double);
template Saved<double> read_wave_state(const State&, GridSize, double);

}  // namespace perturb::wave
