#include "cuda/fibers/fibers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/core/simulation/simulation_of.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/fibers/actions.h"
#include "cuda/fibers/kernels/stepper.h"
#include "cuda/fibers/measure/describe.h"
#include "cuda/fibers/measure/marks.h"
#include "cuda/fibers/measure/measure.h"
#include "cuda/fibers/measure/microscope.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/model/state.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/setup.h"
#include "cuda/fibers/state/saved.h"
#include "cuda/fibers/view/picture.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

namespace {

class Fibers final : public SimulationOf<Parameters>, public StabilityRemedies, public HasColumns, public Inspectable {
 public:
  Fibers(Backend& backend, const Setup& setup, const Parameters& parameters, int count)
      : SimulationOf(backend, fibers_simulation(), setup, parameters),
        forces_(backend),
        stepper_(backend),
        trail_(backend),
        tracers_(backend),
        view_state_(view_of_start(parameters_, count)),
        picture_(backend),
        measure_(backend),
        microscope_(backend) {
    replace_fibers(make_fiber_start(parameters_, count, seed_));
    spread_tracers(parameters_.tracers);
    apply_all(setup.actions);
  }

  void set_parameter(const std::string& id, double value) override {
    const Parameters changed = with_changed(id, value, "the fibers are falling. Restart the scene");
    check_fibers_parameters(changed);
    require_slender(changed, state_->lengths.shortest(), "The shortest fiber of the run",
                    "Choose a smaller slenderness.");
    // A two-step scheme needs two steps of equal length: it restarts with an Euler step.
    if (changed.time_step != parameters_.time_step || changed.scheme != parameters_.scheme)
      state_->has_previous = false;
    const bool moves = changed.slenderness != parameters_.slenderness || changed.tolerance != parameters_.tolerance ||
                       changed.box != parameters_.box || changed.alone != parameters_.alone ||
                       changed.pull_core != parameters_.pull_core;
    if (changed.trail != parameters_.trail) trail_.resize(changed.trail, state_->fibers);
    if (changed.tracers != parameters_.tracers) spread_tracers(changed.tracers);
    if (changed.time_step != parameters_.time_step) tracers_.begin_again();
    parameters_ = changed;
    if (moves) forces_.forget();
  }

  std::vector<StabilityRemedy> remedies() const override {
    return {{"time_step", rounded(0.5 * parameters_.time_step, 3)},
            {"time_step", rounded(0.1 * parameters_.time_step, 3)}};
  }

  double time() const override { return time_; }
  double domain_width() const override { return view_state_.views(parameters_).domain_width(); }
  double domain_height() const override { return view_state_.views(parameters_).domain_height(); }

  void step(std::int64_t count) override {
    // Diagnostics report a failure; further steps are rejected here.
    if (count > 0 && !forces_.failure().empty()) throw NonFiniteError(forces_.failure());
    for (std::int64_t k = 0; k < count; ++k) {
      backend().stop_point();
      find_forces();
      if (!forces_.failure().empty()) return;
      // A long evaluation may be cancelled, and its step with it: a state without velocities could be neither measured
      // nor shown.
      if (!(forces_.is_slow() ? take_interruptible_step() : take_step())) return;
    }
  }
  void select_kernel(const std::string& id) override {
    if (id == kernel_) return;
    forces_.select(id, parameters_, *state_);
    kernel_ = id;
  }
  Message choice() const override { return forces_.text(); }
  StepCost step_cost(const std::string& kernel) const override { return forces_.cost(kernel, parameters_); }
  LaunchShape launch_shape(const std::string& kernel) const override {
    return forces_.launch_shape(kernel, parameters_);
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return fibers_interpret(gesture, {view_state_, *state_, parameters_, chosen_, seed_, steps_});
  }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    find_forces();
    view_state_.set_camera(camera, parameters_, state_->x);
    picture_.paint(pixels, camera, view, table, paint_input());
  }
  Message value_inside(double x, double y, const ViewSettings& view) override {
    const int m = fiber_at(x, y);
    if (m < 0) return "";
    find_forces();
    return fiber_text(m, shown_quantity(view.quantity), *state_);
  }
  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override {
    const int m = fiber_at(x, y);
    if (m < 0) return std::nullopt;
    find_forces();
    return picture_.number_of(m, shown_quantity(view.quantity), paint_input());
  }

  Inspection inspect_inside(double x, double y) override {
    find_forces();
    if (!forces_.failure().empty()) return {};
    return microscope_.inspect(parameters_, *state_, view_state_, x, y);
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    find_forces();  // first, because its time belongs to a step
    const Measured& measured =
        measure_.update({parameters_, *state_, steps_, time_, forces_.solve(), forces_.failure(), ring_break_}, wait);
    Diagnostics diagnostics = describe_fibers(
        measured, {parameters_, shown_quantity(view.quantity), forces_.matrix_bytes(), forces_.closed_pairs()});
    const PictureViews views = view_state_.views(parameters_);
    if (parameters_.alone && state_->fibers <= max_fibers_with_arrows)
      mark_lone_fibers(state_->placement(), parameters_, views,
                       parameters_.follow ? view_state_.middle(state_->x) : Vector3<double>{0, 0, 0}, diagnostics);
    else if (parameters_.follow)
      mark_core_fall(views, diagnostics);
    return diagnostics;
  }
  std::vector<Column> columns() const override {
    return {{"fall", "length/time"},
            {"core_fall", "length/time"},
            {"fall_theory", "length/time"},
            {"fall_ring", "length/time"},
            {"long_below", "length"},
            {"core_radius", "length"},
            {"ring_radius", "length"},
            {"ring_section", "length"},
            {"core_half_height", "length"},
            {"radius", "length"},
            {"drift", "length"},
            {"aspect", ""},
            {"parting", ""},
            {"left_behind", ""},
            {"order", ""},
            {"leak_rate", "1/time"},
            {"fibers", ""},
            {"overlaps", ""},
            {"iterations", ""},
            {"residual", ""},
            {"matrix", "MB"},
            {"closed_pairs", ""},
            {"ring_broke", "time"},
            {"core_length", "mean length"},
            {"behind_length", "mean length"}};
  }
  std::vector<Gauge> gauges() const override {
    return fiber_gauges(parameters_, measure_.latest(), state_->lengths.shortest());
  }

  State save() const override {
    // If the computation of velocities is cancelled, it is repeated after loading; the result is bit-identical.
    try {
      find_forces();
    } catch (const Stopped&) {
    }
    Saved saved;
    state_->save_to(saved, forces_.found());
    saved.tracers = tracers_.save();
    saved.ring_break = ring_break_.state();
    saved.pull = pull_;
    saved.start_half = view_state_.start_half();
    saved.balls = static_cast<double>(drops_);
    saved.chosen = chosen_;
    State state = state_without_fields(state_->fibers, 1);
    write_fiber_state(state, saved, parameters_.terms);
    return state;
  }
  void load(const State& state) override {
    const Saved saved = read_fiber_state(state, parameters_.terms);
    for (const double half : saved.now.half_length)
      require_slender(parameters_, half, "A fiber of the state", "Load it with fewer terms or a smaller slenderness.");
    take_poses(saved.now);
    // Nothing below can fail.
    if (state_->load_rates(saved)) forces_.set_found();
    trail_.clear();
    if (saved.start_half > 0) view_state_.set_start_half(saved.start_half);
    drops_ = static_cast<std::uint64_t>(saved.balls);
    chosen_ = static_cast<int>(saved.chosen);
    // The state has no tracers, or another number of them: they are spread again.
    if (saved.tracers.age.size() == static_cast<std::size_t>(tracers_.count()))
      tracers_.load(saved.tracers);
    else
      tracers_.spread(tracer_square());
    pull_ = saved.pull;
    ring_break_.restore(saved.ring_break);
    steps_ = state.steps;
    time_ = state.time;
    seed_ = state.seed;
    measure_.forget();
  }

 protected:
  void act(const Action& action) override {
    static constexpr ActionHandler<Fibers> handlers[] = {
        {"pull",
         [](Fibers& f, const Action& a) {
           f.pull_.at = action_place(a);
           f.pull_.force = {a.get("fx"), a.get("fy"), a.get("fz")};
           f.forces_.forget();
         }},
        {"let-go",
         [](Fibers& f, const Action&) {
           if (f.pull_.any()) f.forces_.forget();
           f.pull_.force = {0, 0, 0};
         }},
        {"fiber", [](Fibers& f, const Action& a) { f.add_fiber(a); }},
        {"burst",
         [](Fibers& f, const Action& a) {
           require_room_for_fibers(f.state_->fibers, static_cast<int>(a.get("count")));
           f.add_ball(f.state_->placement(), a, std::min(f.parameters_.min_distance, 0.05));
         }},
        {"new-cloud",
         [](Fibers& f, const Action& a) {
           f.add_ball({}, a, f.parameters_.min_distance);
           f.ring_break_.begin();
         }},
        {"turn",
         [](Fibers& f, const Action& a) {
           const int m = action_number(a, f.state_->fibers);
           f.state_->turn(m, action_direction(a));
           f.forces_.forget();
         }},
        {"choose", [](Fibers& f, const Action& a) { f.chosen_ = action_number(a, f.state_->fibers); }},
    };
    dispatch_action(handlers, *this, action);
  }

 private:
  Forcing now() const {
    Pull pull = pull_;
    pull.core = parameters_.pull_core;
    return {parameters_, pull, steps_};
  }
  // Velocities belong to the state: they are computed when needed, also for saving.
  void find_forces() const { forces_.find(now(), *state_); }
  PaintInput paint_input() const { return {parameters_, *state_, trail_, tracers_, view_state_, pull_, chosen_}; }
  int fiber_at(double x, double y) const { return view_state_.fiber_at(x, y, state_->placement(), parameters_); }

  // Returns whether the forces were found.
  bool take_step() {
    // With the current forces, before the fibers move.
    tracers_.step(parameters_, state_->sources(), now().pull);
    if (!stepper_.step(now(), *state_, forces_)) return false;
    ++steps_;
    time_ += parameters_.time_step;
    forces_.invalidate();
    find_forces();
    if (trail_.steps() > 0) trail_.record(state_->x.data(), view_state_.middle(state_->x));
    if (tracers_.count() > 0) tracers_.return_tracers(tracer_square(), steps_);
    if (forces_.failure().empty()) update_ring_break();
    return forces_.failure().empty();
  }
  // The same, but interruptible: a step that is stopped (Stopped) has no effect.
  bool take_interruptible_step() {
    const std::int64_t steps = steps_;
    const double time = time_;
    const Solve solve = forces_.solve();
    state_->keep();
    tracers_.keep();
    try {
      return take_step();
    } catch (const Stopped&) {
      state_->restore();
      tracers_.restore();
      steps_ = steps;
      time_ = time;
      forces_.restore_solution(solve);
      throw;
    }
  }
  // Checks at some steps whether the ring has parted.
  void update_ring_break() {
    if (!ring_break_.is_due(steps_) || state_->fibers < fewest_core_fibers || parameters_.alone || parameters_.box > 0)
      return;
    // Only positions matter: directions and velocities affect other values of the core.
    const std::vector<double> rest(3 * static_cast<std::size_t>(state_->fibers), 0.0);
    ring_break_.update(find_fiber_core(state_->x.download(), rest, rest, fiber_d(parameters_.slenderness)), time_);
  }

  // Replaces the fibers. Everything that can fail comes first.
  void replace_fibers(const Placement& placement) {
    const int count = placement.count();
    const Plan plan = forces_.plan(count, parameters_, kernel_);
    forces_.release_matrix();
    auto state = std::make_unique<FiberState>(backend(), placement, parameters_.terms);
    Stages stages(backend(), count);
    auto flow = forces_.make_flow(plan, parameters_, count, state->lengths);
    trail_.resize(parameters_.trail, count);
    forces_.take(plan, std::move(flow));
    state_ = std::move(state);
    stepper_.take(std::move(stages));
    chosen_ = -1;
    measure_.drop_pending();
  }
  // The same, in the existing memory if it suffices.
  void take_poses(const Placement& placement) {
    Lengths lengths(backend(), placement.half_length);
    // If there were no lengths before, more memory is needed.
    if (placement.count() != state_->fibers || (lengths.unequal() && !state_->lengths.unequal()))
      return replace_fibers(placement);
    measure_.drop_pending();
    if (state_->set_placement(placement, std::move(lengths))) forces_.take_lengths(state_->lengths);
    forces_.forget();
  }
  void add_fiber(const Action& action) {
    require_room_for_fibers(state_->fibers, 1);
    require_slender(parameters_, action.get("length"), "The new fiber",
                    "Choose a longer one, or a smaller slenderness.");
    Placement fibers = state_->placement();
    fibers.add(action_place(action), action_direction(action), action.get("length"));
    replace_fibers(fibers);
  }
  // `to` with one more ball of fibers, around the action's position.
  void add_ball(Placement to, const Action& action, double min_distance) {
    const int count = static_cast<int>(action.get("count"));
    add_fiber_ball(to, count, action_place(action), action.get("radius"), min_distance, seed_, 100 + drops_,
                   draw_fiber_lengths(parameters_, count, seed_, 100 + drops_));
    replace_fibers(to);
    ++drops_;
  }

  // The area of the side view, in any camera direction, or the periodic box. It does not depend on what was painted.
  TracerSquare tracer_square() const {
    const ViewState::Extent shown = view_state_.extent(parameters_, state_->x);
    const bool periodic = parameters_.box > 0;
    return {shown.middle, periodic ? 0.5 * parameters_.box : shown.half, periodic};
  }
  void spread_tracers(int count) {
    if (count > 0 || tracers_.count() > 0) tracers_.spread(count, tracer_square(), state_->fibers);
  }

  double time_ = 0;
  std::unique_ptr<FiberState> state_;
  mutable Forces forces_;  // computed on demand
  Stepper stepper_;
  RingBreak ring_break_;
  Trail trail_;
  Tracers tracers_;
  Pull pull_;
  std::uint64_t drops_ = 0;  // balls of fibers that were added
  int chosen_ = -1;
  ViewState view_state_;
  FiberPicture picture_;
  Measure measure_;
  Microscope microscope_;
};

}  // namespace

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const Parameters parameters = parameters_of(setup);
  const int count = count_of(setup);
  require_fibers_memory(backend, parameters, count);
  return std::make_unique<Fibers>(backend, setup, parameters, count);
}

}  // namespace perturb::fibers
