// A run's state to and from datasets.
#include <cmath>
#include <span>
#include <utility>

#include "cuda/core/loaded_state.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers_actions.h"
#include "cuda/fibers/fibers_run.h"

namespace perturb {

namespace {

// So far out, numbers still tell a millionth of a fiber's length.
constexpr double most_distance = 1e9;

// All that must hold of a saved state is stated here, before anything of the run changes. What is empty was not saved:
// velocities are then computed anew, and a scheme of two steps begins again.
struct FiberSaved {
  FiberPlacement now;
  std::vector<double> velocity, spin, coefficients;
  std::vector<double> before[4];  // position, tangent, velocity, spin
  FiberPull pull;
  SavedTracers tracers;
  double ring_break = FiberRingBreak::unseen;
};

// Throws InputError unless the state is of 1 to most_fibers fibers with `terms` numbers a direction for the force, each
// number finite, no fiber out of reach and none without a direction.
FiberSaved read_fiber_state(const State& state, int terms) {
  require_state_of(state, "fibers");
  const std::size_t fibers = require_rows(state, "position", 3, 1, most_fibers, "fibers");
  if (static_cast<std::size_t>(state.width) != fibers)
    refuse_state("the number of fibers is " + std::to_string(state.width) + ", and \"position\" tells of " +
                 std::to_string(fibers));
  const std::vector<std::size_t> shape = {fibers, 3};
  const auto read = [&](const char* name, const std::vector<std::size_t>& of) {
    std::vector<double> values = state.get<double>(name, of);
    require_finite(name, std::span<const double>(values), place_in_list("fiber", values.size() / fibers));
    return values;
  };
  const auto read_places = [&](const char* name) {
    std::vector<double> values = read(name, shape);
    require_within(name, std::span<const double>(values), -most_distance, most_distance, place_in_list("fiber", 3));
    return values;
  };
  const auto read_directions = [&](const char* name) {
    std::vector<double> values = read(name, shape);
    for (std::size_t m = 0; m < fibers; ++m) {
      double* const t = &values[3 * m];
      const double length = std::hypot(t[0], t[1], t[2]);
      if (!(length > 1e-6 && length < most_distance))
        refuse_state("\"" + std::string(name) + "\" is no direction for fiber " + std::to_string(m) +
                     ": its length is " + number_in_words(length) + ", and must be 1");
      if (std::abs(length - 1) > 1e-9) t[0] /= length, t[1] /= length, t[2] /= length;
    }
    return values;
  };
  FiberSaved saved;
  saved.now = {read_places("position"), read_directions("tangent")};
  if (state.has("half_length")) {
    saved.now.half_length = read("half_length", {fibers});
    require_within("half_length", std::span<const double>(saved.now.half_length), least_half_length, most_half_length,
                   place_in_list("fiber"));
  }
  if (state.has("velocity") && state.has("spin") && state.has("force_coefficients")) {
    saved.velocity = read("velocity", shape), saved.spin = read("spin", shape);
    saved.coefficients = read("force_coefficients", {fibers, static_cast<std::size_t>(terms), 3});
  }
  if (state.has("position_previous")) {
    saved.before[0] = read_places("position_previous"), saved.before[1] = read_directions("tangent_previous");
    saved.before[2] = read("velocity_previous", shape), saved.before[3] = read("spin_previous", shape);
  }
  if (state.has("pull")) {
    const std::vector<double> p = state.get<double>("pull", {6});
    require_within("pull", std::span<const double>(p), -most_distance, most_distance, place_in_list("number"));
    saved.pull.at = {p[0], p[1], p[2]}, saved.pull.force = {p[3], p[4], p[5]};
  }
  if (state.has("ring_break")) {
    const std::vector<double> value = state.get<double>("ring_break", {1});
    require_within("ring_break", std::span<const double>(value), FiberRingBreak::unseen, most_distance,
                   place_in_list("number"));
    saved.ring_break = value[0];
  } else if (state.steps > 0) {
    saved.ring_break = FiberRingBreak::unknown;  // a state of before this was kept
  }
  if (state.has("tracers")) {
    const std::size_t tracers = require_rows(state, "tracers", 3, 1, most_tracers, "tracers");
    const auto rows = [&](const char* name, const std::vector<std::size_t>& of, std::size_t width) {
      std::vector<double> values = state.get<double>(name, of);
      require_within(name, std::span<const double>(values), -most_distance, most_distance,
                     place_in_list("tracer", width));
      return values;
    };
    saved.tracers = {rows("tracers", {tracers, 3}, 3), rows("tracers_velocity", {tracers, 3}, 3),
                     rows("tracers_age", {tracers}, 1)};
  }
  return saved;
}

}  // namespace

State FiberRun::save() const {
  // Where finding the velocities is given up, they are computed after the state is loaded, to the same bits.
  try {
    evaluate();
  } catch (const Stopped&) {
  }
  State state = state_without_fields(count_, 1);
  const std::size_t fibers = static_cast<std::size_t>(count_);
  const std::vector<std::size_t> shape = {fibers, 3};
  const FiberArrays& s = *arrays_;
  state.put<double>("position", shape, "length", s.x.download());
  state.put<double>("tangent", shape, "", s.t.download());
  // States of fibers of one length are as they were before there were others.
  if (s.lengths.unequal()) state.put<double>("half_length", {fibers}, "length", s.lengths.host());
  if (evaluated_) {
    state.put<double>("velocity", shape, "length/time", s.v.download());
    state.put<double>("spin", shape, "1/time", s.w.download());
    state.put<double>("force_coefficients", {fibers, static_cast<std::size_t>(parameters_.terms), 3}, "weight/length",
                      s.a.download());
  }
  if (has_previous_) {
    state.put<double>("position_previous", shape, "length", s.x_previous.download());
    state.put<double>("tangent_previous", shape, "", s.t_previous.download());
    state.put<double>("velocity_previous", shape, "length/time", s.v_previous.download());
    state.put<double>("spin_previous", shape, "1/time", s.w_previous.download());
  }
  if (tracers_.count() > 0) {
    const std::size_t tracers = static_cast<std::size_t>(tracers_.count());
    const SavedTracers saved = tracers_.save();
    state.put<double>("tracers", {tracers, 3}, "length", saved.position);
    state.put<double>("tracers_velocity", {tracers, 3}, "length/time", saved.velocity);
    state.put<double>("tracers_age", {tracers}, "step", saved.age);
  }
  state.put<double>("ring_break", {1}, "time", std::vector<double>{ring_break_.state()});
  if (pull_.any())
    state.put<double>(
        "pull", {6}, "",
        std::vector<double>{pull_.at.x, pull_.at.y, pull_.at.z, pull_.force.x, pull_.force.y, pull_.force.z});
  return state;
}

void FiberRun::load(const State& state) {
  FiberSaved saved = read_fiber_state(state, parameters_.terms);
  FiberPlacement& now = saved.now;
  for (const double half : now.half_length)
    require_slender(parameters_, half, "A fiber of the state", "Load it with fewer terms or a smaller slenderness.");
  FiberLengths lengths(backend(), now.half_length);
  // Where there were no lengths before, memory is needed for more than these.
  if (now.count() != count_ || (lengths.unequal() && !arrays_->lengths.unequal())) {
    adopt(now);
  } else {
    await_measurement(), measuring_.drop_pending();
    if (arrays_->lengths.unequal()) {
      backend().synchronize();  // a frame in flight may still read the old ones
      arrays_->lengths = std::move(lengths), arrays_->flow->set_lengths(&arrays_->lengths);
    }
    arrays_->x.upload(now.position), arrays_->t.upload(now.tangent);
    forget_velocities();
  }
  // Nothing below can be refused.
  if (!saved.velocity.empty()) {
    arrays_->v.upload(saved.velocity), arrays_->w.upload(saved.spin), arrays_->a.upload(saved.coefficients);
    evaluated_ = true, solve_ = {};
  }
  has_previous_ = !saved.before[0].empty();
  if (has_previous_) {
    arrays_->x_previous.upload(saved.before[0]), arrays_->t_previous.upload(saved.before[1]);
    arrays_->v_previous.upload(saved.before[2]), arrays_->w_previous.upload(saved.before[3]);
  }
  trail_.clear();
  // A state of before there were tracers, or of another number of them: they are spread anew.
  if (saved.tracers.age.size() == static_cast<std::size_t>(tracers_.count()))
    tracers_.load(saved.tracers);
  else
    tracers_.spread(tracer_square());
  pull_ = saved.pull;
  ring_break_.restore(saved.ring_break);
  steps_ = state.steps, time_ = state.time, seed_ = state.seed;
  measuring_.forget();
}

}  // namespace perturb
