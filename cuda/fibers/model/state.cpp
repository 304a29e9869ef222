#include "cuda/fibers/model/state.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/nodes.h"
#include "cuda/fibers/model/plan.h"
#include "cuda/fibers/model/saved.h"

namespace perturb::fibers {

namespace {
constexpr std::size_t state_vectors = 8;  // of three numbers per fiber: the state, now and one step before
}

FiberState::FiberState(Backend& backend, const Placement& placement, int terms)
    : fibers(placement.count()), lengths(backend, placement.half_length), backend_(backend) {
  const std::size_t size = 3 * static_cast<std::size_t>(fibers);
  for (Array<double>* array : {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous})
    *array = Array<double>(backend, size, "fibers' state");
  a = Array<double>(backend, size * static_cast<std::size_t>(terms), "force coefficients");
  for (const Array<double>* array : changed_by_step())
    kept_.emplace_back(backend, array->size(), "fibers' state, kept");
  x.upload(placement.position);
  t.upload(placement.tangent);
}

std::size_t FiberState::bytes(int fibers, const Parameters& p) {
  // Twice: once for the copy.
  return static_cast<std::size_t>(fibers) * 3 * sizeof(double) *
             (2 * state_vectors + 2 * static_cast<std::size_t>(p.terms)) +
         (p.length_spread > 0 ? Lengths::bytes(fibers) : 0);
}

Placement FiberState::placement() const { return {x.download(), t.download(), lengths.host()}; }

void FiberState::turn(int m, Vector3<double> to) {
  backend_.copy_from_host(t.data() + 3 * m, &to, sizeof to);
  has_previous = false;
}

std::vector<Array<double>*> FiberState::changed_by_step() {
  return {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous, &a};
}
void FiberState::keep() {
  const auto from = changed_by_step();
  for (std::size_t k = 0; k < from.size(); ++k) kept_[k].copy_from(*from[k]);
  kept_has_previous_ = has_previous;
}
void FiberState::restore() {
  const auto to = changed_by_step();
  for (std::size_t k = 0; k < to.size(); ++k) to[k]->copy_from(kept_[k]);
  has_previous = kept_has_previous_;
}

void FiberState::save_to(Saved& saved, bool found) const {
  saved.now = placement();
  if (found) {
    saved.velocity = v.download();
    saved.spin = w.download();
    saved.coefficients = a.download();
  }
  if (!has_previous) return;
  saved.before[0] = x_previous.download();
  saved.before[1] = t_previous.download();
  saved.before[2] = v_previous.download();
  saved.before[3] = w_previous.download();
}

bool FiberState::set_placement(const Placement& placement, Lengths their_lengths) {
  const bool unequal = lengths.unequal();
  if (unequal) {
    backend_.synchronize();  // a frame in flight may still read the old ones
    lengths = std::move(their_lengths);
  }
  x.upload(placement.position);
  t.upload(placement.tangent);
  return unequal;
}

bool FiberState::load_rates(const Saved& saved) {
  const bool found = !saved.velocity.empty();
  if (found) {
    v.upload(saved.velocity);
    w.upload(saved.spin);
    a.upload(saved.coefficients);
  }
  has_previous = !saved.before[0].empty();
  if (has_previous) {
    x_previous.upload(saved.before[0]);
    t_previous.upload(saved.before[1]);
    v_previous.upload(saved.before[2]);
    w_previous.upload(saved.before[3]);
  }
  return found;
}

Vector3<double> FiberState::row_of(const Array<double>& rows, int m) const {
  Vector3<double> row{};
  backend_.copy_to_host(&row, rows.data() + 3 * m, sizeof row);
  return row;
}

namespace {
constexpr double long_evaluation = 0.02;  // seconds
}

Plan Forces::plan(int fibers, const Parameters& p, const std::string& kernel) const {
  // Counts the current matrix as free: it is released before another is allocated.
  const std::size_t own = flow_ ? flow_->matrix_bytes() : 0;
  return plan_fibers(backend_, fibers, p, kernel, {backend_.free_memory() + own, backend_.total_memory()});
}

std::unique_ptr<Flow> Forces::make_flow(const Plan& plan, const Parameters& p, int fibers, Lengths& lengths) const {
  auto flow = std::make_unique<Flow>(backend_, fibers, p, plan.kernel, plan.stored);
  flow->set_lengths(&lengths);
  return flow;
}

void Forces::take(const Plan& plan, std::unique_ptr<Flow> flow) {
  flow_ = std::move(flow);
  plan_ = plan;
  forget();
}

void Forces::select(const std::string& kernel, const Parameters& p, FiberState& state) {
  const Plan next = plan(state.fibers, p, kernel);
  if (next.kernel != plan_.kernel || next.stored != plan_.stored) {
    release_matrix();
    take(next, make_flow(next, p, state.fibers, state.lengths));
  }
  plan_ = next;
}

void Forces::release_matrix() {
  if (flow_) flow_->release_matrix();
}

bool Forces::is_slow() const { return seconds_ > long_evaluation; }

void Forces::find(const Forcing& now, FiberState& s) {
  if (found_) return;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const InterruptibleScope here(backend_, is_slow());
  solve_ = flow_->evaluate(now.parameters, s.x.data(), s.t.data(), now.pull, s.v.data(), s.w.data(), s.a.data());
  note(solve_, now);
  found_ = true;
  seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
}

bool Forces::find_at(const Forcing& now, const double* x, const double* t, double* v, double* w, double* a) {
  const InterruptibleScope here(backend_, is_slow());
  const Solve solve = flow_->evaluate(now.parameters, x, t, now.pull, v, w, a);
  note(solve, now);
  return solve.converged;
}

void Forces::note(const Solve& solve, const Forcing& now) {
  if (solve.converged) return;
  failure_ = Message(
      "Cannot solve for the forces at step {}: after {} iterations the residual is {}, and the tolerance is {}. Raise "
      "the tolerance, or lower the time step so that fibers do not jump into each other.",
      now.step, solve.iterations, format_number(solve.residual, 3), format_number(now.parameters.tolerance, 3));
}

StepCost Forces::cost(const std::string& kernel, const Parameters& p) const {
  const int fibers = flow_->layout().fibers, evaluations = p.scheme == Scheme::runge_kutta ? 4 : 1;
  const Work work = fiber_work(fibers, p, resolve_kernel(kernel), plan_.stored, std::max(1, solve_.iterations) + 1.5);
  StepCost cost;
  cost.cells = evaluations * 0.5 * fibers * (fibers - 1.0) * (p.pairing == Pairing::both ? 2 : 1);
  cost.flops = evaluations * work.flops;
  cost.bytes = evaluations * work.bytes;
  cost.rate_unit = "pair/s";
  return cost;
}

LaunchShape Forces::launch_shape(const std::string& kernel, const Parameters& p) const {
  const Kernel of = resolve_kernel(kernel);
  const bool fp32 = p.precision == Precision::fp32;
  if (of == Kernel::levels) return far_shape(backend_);
  return of == Kernel::nodes ? node_shape(backend_, fp32) : kernel_shape(backend_, of, flow_->layout().order, fp32);
}

}  // namespace perturb::fibers
