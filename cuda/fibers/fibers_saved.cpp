// A run's state to and from datasets.
#include <cmath>

#include "cuda/core/check.h"
#include "cuda/core/start.h"
#include "cuda/fibers/fibers_actions.h"
#include "cuda/fibers/fibers_run.h"

namespace perturb {

State FiberRun::save() const {
  // Where finding the velocities is given up, whoever loads the state finds them: to the same bits.
  try {
    evaluate();
  } catch (const Stopped&) {
  }
  State state;
  state.simulation = info().id, state.preset = preset_;
  state.steps = steps_, state.time = time_, state.seed = seed_;
  state.width = count_, state.height = 1;
  for (const Parameter& p : info().parameters) state.parameters[p.id] = p.format(p.get(&parameters_));
  const std::size_t fibers = static_cast<std::size_t>(count_);
  const std::vector<std::size_t> shape = {fibers, 3};
  const FiberArrays& s = *arrays_;
  state.put<double>("position", shape, "length", s.x.download());
  state.put<double>("tangent", shape, "", s.t.download());
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
  if (pull_.any())
    state.put<double>(
        "pull", {6}, "",
        std::vector<double>{pull_.at.x, pull_.at.y, pull_.at.z, pull_.force.x, pull_.force.y, pull_.force.z});
  return state;
}

void FiberRun::load(const State& state) {
  require_state_of(state, info().id);
  if (!state.has("position") || state.datasets.at("position").shape.size() != 2)
    throw InputError("The saved state has no dataset \"position\" of [fibers, 3].");
  const std::size_t fibers = state.datasets.at("position").shape[0];
  if (fibers < 1 || fibers > static_cast<std::size_t>(most_fibers))
    throw InputError("The saved state holds " + std::to_string(fibers) + " fibers: from 1 to " +
                     std::to_string(most_fibers) + " can be taken.");
  const std::vector<std::size_t> shape = {fibers, 3};
  const auto read = [&](const char* name, const std::vector<std::size_t>& of) {
    std::vector<double> values = state.get<double>(name, of);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        throw InputError("\"" + std::string(name) + "\" in the saved state is not finite for fiber " +
                         std::to_string(k / (of.size() > 1 ? values.size() / fibers : 1)) + ".");
    return values;
  };
  FiberPlacement now{read("position", shape), read("tangent", shape)};
  for (std::size_t m = 0; m < fibers; ++m) {
    double* const t = &now.tangent[3 * m];
    const double length = std::hypot(t[0], t[1], t[2]);
    if (!(length > 1e-6))
      throw InputError("\"tangent\" in the saved state is zero for fiber " + std::to_string(m) +
                       ": it must be a direction.");
    if (std::abs(length - 1) > 1e-9) t[0] /= length, t[1] /= length, t[2] /= length;
  }
  const bool known = state.has("velocity") && state.has("spin") && state.has("force_coefficients");
  std::vector<double> v, w, a, before[4];
  if (known) {
    v = read("velocity", shape), w = read("spin", shape);
    a = read("force_coefficients", {fibers, static_cast<std::size_t>(parameters_.terms), 3});
  }
  const char* const names[] = {"position_previous", "tangent_previous", "velocity_previous", "spin_previous"};
  const bool previous = state.has(names[0]);
  if (previous)
    for (int k = 0; k < 4; ++k) before[k] = read(names[k], shape);
  FiberPull pull;
  if (state.has("pull")) {
    const std::vector<double> p = read("pull", {6});
    pull.at = {p[0], p[1], p[2]}, pull.force = {p[3], p[4], p[5]};
  }
  if (static_cast<int>(fibers) != count_) {
    adopt(now);
  } else {
    arrays_->x.upload(now.position), arrays_->t.upload(now.tangent);
    sums_.wait(), overlaps_.wait(), shape_.wait(), pending_.reset();
    forget_velocities();
  }
  // Nothing below can be refused.
  if (known) {
    arrays_->v.upload(v), arrays_->w.upload(w), arrays_->a.upload(a);
    evaluated_ = true, solve_ = {};
  }
  if (previous) {
    arrays_->x_previous.upload(before[0]), arrays_->t_previous.upload(before[1]);
    arrays_->v_previous.upload(before[2]), arrays_->w_previous.upload(before[3]);
  }
  has_previous_ = previous;
  trail_.clear();
  pull_ = pull;
  steps_ = state.steps, time_ = state.time, seed_ = state.seed;
  latest_.reset();
}

}  // namespace perturb
