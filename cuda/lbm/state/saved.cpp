#include "cuda/lbm/state/saved.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/state.h"
#include "cuda/lbm/actions.h"
#include "cuda/lbm/model/cell.h"
#include "cuda/lbm/model/tracers.h"
#include "cuda/lbm/model/walls.h"
#include "cuda/lbm/objects.h"

namespace perturb::lbm {

namespace {

std::vector<float> read_populations(const State& state, const std::vector<std::size_t>& shape,
                                    const IndexFormatter& cell) {
  const std::vector<float> f = state.get<float>("populations", shape);
  require_finite("populations", std::span<const float>(f), cell);
  const bool exact = state.has("populations_shifted");
  std::vector<float> g = exact ? state.get<float>("populations_shifted", shape) : std::vector<float>(f.size());
  // The shifted populations are exact; if `populations` has been edited since, it takes precedence.
  const std::size_t cells = f.size() / lbm_links;
  for (int q = 0; q < lbm_links; ++q)
    for (std::size_t k = 0; k < cells; ++k) {
      const std::size_t n = static_cast<std::size_t>(q) * cells + k;
      if (!exact || unshift(q, g[n]) != f[n])
        g[n] = static_cast<float>(static_cast<double>(f[n]) - static_cast<double>(lbm_weight(q)));
    }
  return g;
}

std::vector<std::uint8_t> read_walls(const State& state, const std::string& name,
                                     const std::vector<std::size_t>& shape) {
  std::vector<std::uint8_t> wall = state.get<std::uint8_t>(name, shape);
  for (std::uint8_t& b : wall) b = b != 0 ? 1 : 0;
  if (std::none_of(wall.begin(), wall.end(), [](std::uint8_t b) { return b != 0; })) wall.clear();
  return wall;
}

// The outline of these walls.
std::vector<std::int16_t> read_outline(const State& state, const std::string& name,
                                       const std::vector<std::size_t>& shape, const std::vector<std::uint8_t>& wall,
                                       const IndexFormatter& cell) {
  const std::vector<float> distance = state.get<float>(name, shape);
  require_finite(name, std::span<const float>(distance), cell);
  std::vector<std::int16_t> outline(distance.size());
  // An edited wall takes precedence.
  std::transform(distance.begin(), distance.end(), wall.begin(), outline.begin(),
                 [](float d, std::uint8_t is_wall) { return outline_of(d, is_wall != 0); });
  return outline;
}

std::vector<DyeSource> read_dye_sources(const State& state) {
  std::vector<DyeSource> sources;
  if (!state.has("dye_sources")) return sources;
  const std::size_t count = require_rows(state, "dye_sources", 3, 0, max_dye_sources, "dye sources");
  const std::vector<double> table = state.get<double>("dye_sources", {count, 3});
  const auto kind = std::find_if(action_kinds().begin(), action_kinds().end(),
                                 [](const ActionKind& k) { return k.id == "dye-source"; });
  const char* const fields[] = {"x", "y", "radius"};
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t f = 0; f < 3; ++f) {
      const auto field = std::find_if(kind->fields.begin(), kind->fields.end(),
                                      [&](const ValueInfo& value) { return value.id == fields[f]; });
      require_within("dye_sources", std::span<const double>(&table[3 * k + f], 1), field->minimum, field->maximum,
                     [&](std::size_t) { return Message("{} of source {}", std::string(fields[f]), k); });
    }
    sources.push_back({table[3 * k], table[3 * k + 1], table[3 * k + 2]});
  }
  if (state.has("dye_source_ids")) {
    const std::vector<double> ids = state.get<double>("dye_source_ids", {count});
    require_within("dye_source_ids", std::span<const double>(ids), 1, largest_object_id,
                   [](std::size_t k) { return Message("the number of source {}", k); });
    for (std::size_t k = 0; k < count; ++k) sources[k].id = static_cast<int>(ids[k]);
  }
  if (!sources.empty() && !state.has("dye")) reject_state("there are \"dye_sources\" and no \"dye\"");
  return sources;
}

// Objects have different numbers. In a state without objects sources get the next ones.
void number_objects(const State& state, Saved& saved) {
  std::set<int> ids;
  const auto note = [&](int id) {
    if (!ids.insert(id).second) reject_state(Message("two objects have the number {}", id));
  };
  for (const PlacedBody& body : saved.bodies) note(body.id);
  for (const DyeSource& source : saved.dye_sources)
    if (source.id > 0) note(source.id);
  if (!ids.empty()) saved.last_object = *ids.rbegin();
  if (state.has("last_object")) {
    const std::vector<double> last = state.get<double>("last_object", {1});
    require_within("last_object", std::span<const double>(last), 0, largest_object_id,
                   [](std::size_t) { return Message("the last number"); });
    saved.last_object = std::max(saved.last_object, static_cast<int>(last[0]));
  }
  for (DyeSource& source : saved.dye_sources)
    if (source.id == 0) source.id = ++saved.last_object;
}

Motion read_motion(const State& state, GridSize size) {
  const std::vector<double> numbers = state.get<double>("moving_body", {Motion::saved_numbers});
  constexpr double max_steps = 1e15, fastest = Motion::fastest + 1e-9;
  const auto within = [&](std::size_t k, double low, double high, const char* what) {
    require_within("moving_body", std::span<const double>(&numbers[k], 1), low, high,
                   [&](std::size_t) { return Message(what); });
  };
  within(0, 0, size.width - 1, "its column");
  within(1, 0, size.height - 1, "its row");
  within(2, -fastest, fastest, "its velocity to the right");
  within(3, -fastest, fastest, "its velocity upwards");
  for (const std::size_t k : {4u, 9u, 12u}) within(k, -1, max_steps, "a step");
  for (const std::size_t k : {5u, 6u, 7u, 8u, 10u, 11u, 13u, 14u}) within(k, -max_steps, max_steps, "a way");
  return Motion::of(numbers);
}

}  // namespace

Saved read_lbm_state(const State& state, GridSize size) {
  require_state_of(state, "lbm");
  require_grid(state, size, "the flow");
  const auto w = static_cast<std::size_t>(size.width), h = static_cast<std::size_t>(size.height);
  const IndexFormatter cell = grid_index_formatter(size);
  Saved saved;
  saved.shifted = read_populations(state, {lbm_links, h, w}, cell);
  saved.edited_kernel = load_edited_kernel(state);
  if (state.has("wall")) saved.wall = read_walls(state, "wall", {h, w});
  if (!saved.wall.empty() && state.has("wall_distance"))
    saved.outline = read_outline(state, "wall_distance", {h, w}, saved.wall, cell);
  saved.bodies = read_bodies(state, size.width, size.height);
  if (state.has("other_wall")) saved.other_wall = read_walls(state, "other_wall", {h, w});
  if (!saved.other_wall.empty() && state.has("other_wall_distance"))
    saved.other_outline = read_outline(state, "other_wall_distance", {h, w}, saved.other_wall, cell);
  if (state.has("dye")) saved.dye = state.get<float>("dye", {h, w});
  require_finite("dye", std::span<const float>(saved.dye), cell);
  saved.dye_sources = read_dye_sources(state);
  number_objects(state, saved);
  if (state.has("changed")) {
    const std::vector<double> changed = state.get<double>("changed", {1});
    require_within("changed", std::span<const double>(changed), 0, static_cast<double>(state.steps),
                   [](std::size_t) { return Message("its step"); });
    saved.changed = static_cast<std::int64_t>(changed[0]);
  }
  if (state.has("tracers")) {
    const std::size_t count = require_rows(state, "tracers", 4, 1, max_tracers, "tracers");
    saved.tracers = state.get<double>("tracers", {count, 4});
    const auto words = [](std::size_t) { return Message("a tracer"); };
    for (std::size_t k = 0; k < saved.tracers.size(); k += 4) {
      require_within("tracers", std::span<const double>(&saved.tracers[k], 1), 0, size.width, words);
      require_within("tracers", std::span<const double>(&saved.tracers[k + 1], 1), 0, size.height, words);
      require_within("tracers", std::span<const double>(&saved.tracers[k + 2], 2), -1, 1, words);
    }
  }
  if (state.has("probe")) {
    const std::vector<double> probe = state.get<double>("probe", {2});
    require_within("probe", std::span<const double>(probe), 0, 1,
                   [](std::size_t k) { return Message(k == 0 ? "x" : "y"); });
    saved.probe = ProbePlace{probe[0], probe[1]};
  }
  if (state.has("disturbed_from")) {
    const std::vector<double> from = state.get<double>("disturbed_from", {2});
    constexpr double lowest = -2, highest = 3;  // of positions
    require_within("disturbed_from", std::span<const double>(from), lowest, highest,
                   [](std::size_t k) { return Message(k == 0 ? "x" : "y"); });
    saved.disturbed_from = DisturbedFrom{from[0], from[1]};
  }
  if (state.has("moving_body")) saved.moving_body = read_motion(state, size);
  return saved;
}

}  // namespace perturb::lbm
