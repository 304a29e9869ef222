#include "cuda/fibers/state/saved.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/state.h"
#include "cuda/fibers/actions.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

namespace {

// At this distance, numbers still resolve a millionth of a fiber's length.
constexpr double max_distance = 1e9;

}  // namespace

void write_fiber_state(State& state, const Saved& saved, int terms) {
  const std::size_t fibers = static_cast<std::size_t>(saved.now.count());
  const std::vector<std::size_t> shape = {fibers, 3};
  state.put<double>("position", shape, "length", saved.now.position);
  state.put<double>("tangent", shape, "", saved.now.tangent);
  // States of fibers of one length keep the older format without lengths.
  if (!saved.now.half_length.empty()) state.put<double>("half_length", {fibers}, "length", saved.now.half_length);
  if (!saved.velocity.empty()) {
    state.put<double>("velocity", shape, "length/time", saved.velocity);
    state.put<double>("spin", shape, "1/time", saved.spin);
    state.put<double>("force_coefficients", {fibers, static_cast<std::size_t>(terms), 3}, "weight/length",
                      saved.coefficients);
  }
  if (!saved.before[0].empty()) {
    state.put<double>("position_previous", shape, "length", saved.before[0]);
    state.put<double>("tangent_previous", shape, "", saved.before[1]);
    state.put<double>("velocity_previous", shape, "length/time", saved.before[2]);
    state.put<double>("spin_previous", shape, "1/time", saved.before[3]);
  }
  if (const std::size_t tracers = saved.tracers.age.size(); tracers > 0) {
    state.put<double>("tracers", {tracers, 3}, "length", saved.tracers.position);
    state.put<double>("tracers_velocity", {tracers, 3}, "length/time", saved.tracers.velocity);
    state.put<double>("tracers_age", {tracers}, "step", saved.tracers.age);
  }
  state.put<double>("ring_break", {1}, "time", std::vector<double>{saved.ring_break});
  state.put<double>("start", {3}, "", std::vector<double>{saved.start_half, saved.balls, saved.chosen});
  const Pull& pull = saved.pull;
  if (pull.any())
    state.put<double>("pull", {6}, "",
                      std::vector<double>{pull.at.x, pull.at.y, pull.at.z, pull.force.x, pull.force.y, pull.force.z});
}

Saved read_fiber_state(const State& state, int terms) {
  require_state_of(state, "fibers");
  const std::size_t fibers = require_rows(state, "position", 3, 1, max_fibers, "fibers");
  if (static_cast<std::size_t>(state.width) != fibers)
    reject_state(Message("the number of fibers is {}, and \"position\" has {}", state.width, fibers));
  const std::vector<std::size_t> shape = {fibers, 3};
  const auto read = [&](const char* name, const std::vector<std::size_t>& of) {
    std::vector<double> values = state.get<double>(name, of);
    require_finite(name, std::span<const double>(values), list_index_formatter("fiber", values.size() / fibers));
    return values;
  };
  const auto read_poses = [&](const char* name) {
    std::vector<double> values = read(name, shape);
    require_within(name, std::span<const double>(values), -max_distance, max_distance,
                   list_index_formatter("fiber", 3));
    return values;
  };
  const auto read_directions = [&](const char* name) {
    std::vector<double> values = read(name, shape);
    for (std::size_t m = 0; m < fibers; ++m) {
      double* const t = &values[3 * m];
      const double length = std::hypot(t[0], t[1], t[2]);
      if (!(length > 1e-6 && length < max_distance))
        reject_state(Message("\"{}\" is not a direction for fiber {}: its length is {}, and must be 1",
                             std::string_view(name), m, format_number(length)));
      if (std::abs(length - 1) > 1e-9) {
        t[0] /= length;
        t[1] /= length;
        t[2] /= length;
      }
    }
    return values;
  };
  Saved saved;
  saved.now = {read_poses("position"), read_directions("tangent")};
  if (state.has("half_length")) {
    saved.now.half_length = read("half_length", {fibers});
    require_within("half_length", std::span<const double>(saved.now.half_length), min_half_length, max_half_length,
                   list_index_formatter("fiber"));
  }
  if (state.has("velocity") && state.has("spin") && state.has("force_coefficients")) {
    saved.velocity = read("velocity", shape);
    saved.spin = read("spin", shape);
    saved.coefficients = read("force_coefficients", {fibers, static_cast<std::size_t>(terms), 3});
  }
  if (state.has("position_previous")) {
    saved.before[0] = read_poses("position_previous");
    saved.before[1] = read_directions("tangent_previous");
    saved.before[2] = read("velocity_previous", shape);
    saved.before[3] = read("spin_previous", shape);
  }
  if (state.has("pull")) {
    const std::vector<double> p = state.get<double>("pull", {6});
    require_within("pull", std::span<const double>(p), -max_distance, max_distance, list_index_formatter("number"));
    saved.pull.at = {p[0], p[1], p[2]};
    saved.pull.force = {p[3], p[4], p[5]};
  }
  if (state.has("ring_break")) {
    const std::vector<double> value = state.get<double>("ring_break", {1});
    require_within("ring_break", std::span<const double>(value), RingBreak::unobserved, max_distance,
                   list_index_formatter("number"));
    saved.ring_break = value[0];
  } else if (state.steps > 0) {
    saved.ring_break = RingBreak::unknown;  // a state from an older version without this value
  }
  if (state.has("start")) {
    const std::vector<double> start = state.get<double>("start", {3});
    const double min_values[] = {1e-3, 0, -1},
                 max_values[] = {max_distance, max_fibers, static_cast<double>(fibers) - 1};
    const char* const names[] = {"the extent of the image", "the number of balls", "the chosen fiber"};
    for (std::size_t k = 0; k < start.size(); ++k)
      require_within("start", std::span<const double>(&start[k], 1), min_values[k], max_values[k],
                     [&](std::size_t) { return Message(names[k]); });
    if (start[1] != std::floor(start[1]) || start[2] != std::floor(start[2]))
      reject_state("the number of balls and the chosen fiber must be whole numbers");
    saved.start_half = start[0];
    saved.balls = start[1];
    saved.chosen = start[2];
  }
  if (state.has("tracers")) {
    const std::size_t tracers = require_rows(state, "tracers", 3, 1, max_tracers, "tracers");
    const auto rows = [&](const char* name, const std::vector<std::size_t>& of, std::size_t width) {
      std::vector<double> values = state.get<double>(name, of);
      require_within(name, std::span<const double>(values), -max_distance, max_distance,
                     list_index_formatter("tracer", width));
      return values;
    };
    saved.tracers = {rows("tracers", {tracers, 3}, 3), rows("tracers_velocity", {tracers, 3}, 3),
                     rows("tracers_age", {tracers}, 1)};
  }
  return saved;
}

}  // namespace perturb::fibers
