#include "cuda/fibers/fibers_run.h"

#include <algorithm>
#include <chrono>

#include "cuda/core/check.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/start.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/fibers_contact.h"
#include "cuda/fibers/fibers_motion.h"

namespace perturb {

namespace {
constexpr double long_evaluation = 0.02;  // seconds, from which on a step is worth giving up inside
}

FiberArrays::FiberArrays(Backend& backend, const FiberPlacement& placement, const FiberParameters& p,
                         const FiberPlan& plan)
    : lengths(backend, placement.half_length) {
  const int fibers = placement.count();
  const std::size_t size = 3 * static_cast<std::size_t>(fibers);
  for (Array<double>* array : {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous})
    *array = Array<double>(backend, size, "fibers' state");
  for (Array<double>* array : {&x_stage, &t_stage, &v2, &w2, &v3, &w3, &v4, &w4})
    *array = Array<double>(backend, size, "stages of a step");
  a = Array<double>(backend, size * static_cast<std::size_t>(p.terms), "force coefficients");
  for (const Array<double>* array : changed_by_step()) kept.emplace_back(backend, array->size(), "fibers' state, kept");
  flow = std::make_unique<FiberFlow>(backend, fibers, p, plan.kernel, plan.stored);
  flow->set_lengths(&lengths);
  x.upload(placement.position), t.upload(placement.tangent);
}

std::size_t fiber_run_bytes(int count, const FiberParameters& p, int tile, FiberKernel kernel, bool stored) {
  const std::size_t fibers = static_cast<std::size_t>(count);
  return FiberFlow::bytes(count, p, tile, kernel, stored) +
         fibers * 3 * sizeof(double) * (FiberArrays::vectors + static_cast<std::size_t>(2 * p.terms + p.trail)) +
         (p.length_spread > 0 ? FiberLengths::bytes(count) : 0) + FiberTracers::bytes(count, p.tracers) +
         static_cast<std::size_t>(p.tracers) * sizeof(Capsule) + 2 * (fibers + most_fiber_lines) * sizeof(Capsule) +
         (std::size_t{512} << 10);
}

FiberRun::FiberRun(Backend& backend, const Setup& setup, const FiberParameters& parameters, int count)
    : SimulationOf(backend, fibers_simulation(), setup, parameters),
      sums_(backend),
      frame_sums_(backend),
      overlaps_(backend),
      shape_(backend),
      raster_(backend),
      lines_(backend, most_fiber_lines, "lines of the picture"),
      trail_(backend),
      tracers_(backend) {
  view_half_ = fiber_view_of_start(parameters_, count);
  adopt(make_fiber_start(parameters_, count, seed_));
  spread_tracers(parameters_.tracers, count);
  for (const Action& action : setup.actions) apply(action);
}

void FiberRun::set_parameter(const std::string& id, double value) {
  const FiberParameters changed = with(id, value, "the fibers fall: start anew");
  check_fiber_parameters(changed);
  require_slender(changed, arrays_->lengths.shortest(), "The shortest fiber of the run",
                  "Choose a smaller slenderness.");
  // A two-step scheme needs two steps of one length: it begins again, with one of Euler's.
  if (changed.time_step != parameters_.time_step || changed.scheme != parameters_.scheme) has_previous_ = false;
  const bool moves = changed.slenderness != parameters_.slenderness || changed.tolerance != parameters_.tolerance ||
                     changed.box != parameters_.box || changed.alone != parameters_.alone ||
                     changed.pull_core != parameters_.pull_core;
  if (changed.trail != parameters_.trail) trail_.resize(changed.trail, count_);
  if (changed.tracers != parameters_.tracers) spread_tracers(changed.tracers, count_);
  if (changed.time_step != parameters_.time_step) tracers_.begin_again();
  parameters_ = changed;
  if (moves) forget_velocities();
}

void FiberRun::step(std::int64_t count) {
  // Diagnostics name a failure; more steps are refused here.
  if (count > 0 && !failure_.empty()) throw NonFiniteError(failure_);
  for (std::int64_t k = 0; k < count; ++k) {
    backend().stop_point();
    evaluate();
    if (!failure_.empty()) return;
    // An evaluation that takes long may be given up, and the step with it: a state without its velocities could be
    // neither measured nor shown before they are found.
    if (evaluation_seconds_ <= long_evaluation) {
      if (!take_step()) return;
      continue;
    }
    const std::int64_t steps = steps_;
    const double time = time_;
    const bool has_previous = has_previous_;
    const FiberSolve solve = solve_;
    keep_state();
    try {
      if (!take_step()) return;
    } catch (const Stopped&) {
      restore_state();
      steps_ = steps, time_ = time, has_previous_ = has_previous, solve_ = solve;
      evaluated_ = true, failure_.clear();
      throw;
    }
  }
}

void FiberRun::keep_state() {
  const auto from = arrays_->changed_by_step();
  for (std::size_t k = 0; k < from.size(); ++k) arrays_->kept[k].copy_from(*from[k]);
  tracers_.keep();
}
void FiberRun::restore_state() {
  const auto to = arrays_->changed_by_step();
  for (std::size_t k = 0; k < to.size(); ++k) to[k]->copy_from(arrays_->kept[k]);
  tracers_.restore();
}

// Returns whether the forces were found.
bool FiberRun::take_step() {
  // With the forces of now, before the fibers move.
  tracers_.step(parameters_,
                {count_, arrays_->x.data(), arrays_->t.data(), arrays_->a.data(), arrays_->lengths.device()}, pull());
  if (parameters_.scheme == FiberScheme::runge_kutta) {
    if (!step_runge_kutta()) return false;
  } else {
    FiberArrays& s = *arrays_;
    parallel_for(backend(), "fibers.step", Range1D{count_},
                 FiberMultistep{parameters_.scheme, !has_previous_, parameters_.time_step, s.x.data(), s.t.data(),
                                s.x_previous.data(), s.t_previous.data(), s.v.data(), s.w.data(), s.v_previous.data(),
                                s.w_previous.data()});
    has_previous_ = true;
  }
  if (parameters_.contact) push_apart();
  ++steps_;
  time_ += parameters_.time_step;
  evaluated_ = false;
  evaluate();
  leave_trail();
  if (tracers_.count() > 0) tracers_.bring_back(tracer_square(), steps_);
  if (failure_.empty()) watch_ring();
  return failure_.empty();
}

FiberPlan FiberRun::plan(int fibers, const std::string& kernel) const {
  // What the run holds of a matrix now is given back before another is taken.
  const std::size_t own = arrays_ ? arrays_->flow->matrix_bytes() : 0;
  const bool timed = kernel == "auto" && fiber_plan_is_close(backend(), fibers, parameters_);
  return plan_fibers(backend(), fibers, parameters_, kernel, backend().free_memory() + own,
                     timed ? measured_fiber_rates(backend(), parameters_) : FiberRates{});
}

void FiberRun::adopt(const FiberPlacement& placement) {
  const int count = placement.count();
  const FiberPlan plan = this->plan(count, kernel_);
  if (arrays_) arrays_->flow->release_matrix();  // the next evaluation would compute it anew anyway
  auto arrays = std::make_unique<FiberArrays>(backend(), placement, parameters_, plan);
  trail_.resize(parameters_.trail, count);
  arrays_ = std::move(arrays), plan_ = plan;
  count_ = count, chosen_ = -1;
  has_previous_ = false;
  await_measurement(), measuring_.drop_pending();
  forget_velocities();
}
FiberPlacement FiberRun::placement() const {
  return {arrays_->x.download(), arrays_->t.download(), arrays_->lengths.host()};
}

void FiberRun::select_kernel(const std::string& id) {
  if (id == kernel_) return;
  const FiberPlan plan = this->plan(count_, id);
  if (plan.kernel != plan_.kernel || plan.stored != plan_.stored) {
    arrays_->flow->release_matrix();
    arrays_->flow = std::make_unique<FiberFlow>(backend(), count_, parameters_, plan.kernel, plan.stored);
    arrays_->flow->set_lengths(&arrays_->lengths);
    forget_velocities();
  }
  kernel_ = id, plan_ = plan;
}

FiberPull FiberRun::pull() const {
  FiberPull pull = pull_;
  pull.core = parameters_.pull_core;
  return pull;
}

void FiberRun::evaluate() const {
  if (evaluated_) return;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  FiberArrays& s = *arrays_;
  const MayStop here(backend(), evaluation_seconds_ > long_evaluation);
  solve_ = s.flow->evaluate(parameters_, s.x.data(), s.t.data(), pull(), s.v.data(), s.w.data(), s.a.data());
  note(solve_);
  evaluated_ = true;
  evaluation_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
}
void FiberRun::note(const FiberSolve& solve) const {
  if (solve.converged) return;
  failure_ = "The forces were not found at step " + std::to_string(steps_) + ": after " +
             std::to_string(solve.iterations) + " iterations the residual is " + number_in_words(solve.residual, 3) +
             ", and " + number_in_words(parameters_.tolerance, 3) +
             " was asked for. Raise tolerance, or lower time_step so that fibers do not jump into each other.";
}

bool FiberRun::step_runge_kutta() {
  FiberArrays& s = *arrays_;
  const double dt = parameters_.time_step;
  const auto stage = [&](const Array<double>& v, const Array<double>& w, double h, Array<double>& to_v,
                         Array<double>& to_w) {
    parallel_for(backend(), "fibers.stage", Range1D{count_},
                 FiberStage{s.x.data(), s.t.data(), v.data(), w.data(), h, s.x_stage.data(), s.t_stage.data()});
    const MayStop here(backend(), evaluation_seconds_ > long_evaluation);
    const FiberSolve solve =
        s.flow->evaluate(parameters_, s.x_stage.data(), s.t_stage.data(), pull(), to_v.data(), to_w.data(), s.a.data());
    note(solve);
    return solve.converged;
  };
  if (!stage(s.v, s.w, dt / 2, s.v2, s.w2) || !stage(s.v2, s.w2, dt / 2, s.v3, s.w3) ||
      !stage(s.v3, s.w3, dt, s.v4, s.w4))
    return false;
  parallel_for(backend(), "fibers.step", Range1D{count_},
               FiberRungeKutta{s.x.data(), s.t.data(), s.x_previous.data(), s.t_previous.data(), s.v.data(), s.w.data(),
                               s.v2.data(), s.w2.data(), s.v3.data(), s.w3.data(), s.v4.data(), s.w4.data(), dt});
  has_previous_ = false;
  return true;
}

void FiberRun::push_apart() {
  FiberArrays& s = *arrays_;
  const std::vector<double> x = s.x.download(), t = s.t.download();
  std::vector<double> new_x = x, new_t = t;
  const FiberContacts contacts =
      push_fibers_apart(new_x.data(), new_t.data(), static_cast<std::size_t>(count_), 4 * parameters_.slenderness,
                        fiber_d(parameters_.slenderness), parameters_.box, s.lengths.host());
  if (contacts.pairs == 0) return;
  // The step before is shifted too: a scheme of two steps would take the push for a velocity, and go on with it.
  std::vector<double> x_previous = s.x_previous.download(), t_previous = s.t_previous.download();
  for (std::size_t k = 0; k < x.size(); ++k) x_previous[k] += new_x[k] - x[k], t_previous[k] += new_t[k] - t[k];
  for (std::size_t k = 0; k < x.size(); k += 3)
    if (new_t[k] != t[k] || new_t[k + 1] != t[k + 1] || new_t[k + 2] != t[k + 2]) fiber_normalise(&t_previous[k]);
  s.x.upload(new_x), s.t.upload(new_t), s.x_previous.upload(x_previous), s.t_previous.upload(t_previous);
}

void FiberRun::leave_trail() {
  if (trail_.steps() > 0) trail_.record(arrays_->x.data(), followed_center());
}

StepCost FiberRun::step_cost(const std::string& kernel) const {
  const FiberKernel of = kernel == "auto" ? plan_.kernel : fiber_kernel_of(kernel);
  const int evaluations = parameters_.scheme == FiberScheme::runge_kutta ? 4 : 1;
  FiberWork work = fiber_work(count_, parameters_, of, plan_.stored, std::max(1, solve_.iterations) + 1.5);
  StepCost cost;
  cost.cells = evaluations * 0.5 * count_ * (count_ - 1.0) * (parameters_.pairing == FiberPairing::both ? 2 : 1);
  cost.flops = evaluations * work.flops, cost.bytes = evaluations * work.bytes;
  cost.rate_unit = "pair/s";
  return cost;
}

LaunchShape FiberRun::launch_shape(const std::string& kernel) const {
  const FiberKernel of = kernel == "auto" ? plan_.kernel : fiber_kernel_of(kernel);
  const bool fp32 = parameters_.precision == FiberPrecision::fp32;
  return of == FiberKernel::nodes ? fiber_node_shape(backend(), fp32)
                                  : fiber_kernel_shape(backend(), of, arrays_->flow->layout().order, fp32);
}

}  // namespace perturb
