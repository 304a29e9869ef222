#include "cuda/particles/particles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/completion.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/simulation_of.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/particles/actions.h"
#include "cuda/particles/kernels/collider.h"
#include "cuda/particles/measure/describe.h"
#include "cuda/particles/measure/marks.h"
#include "cuda/particles/measure/measure.h"
#include "cuda/particles/measure/microscope.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/model/editor.h"
#include "cuda/particles/model/fixtures.h"
#include "cuda/particles/model/plan.h"
#include "cuda/particles/model/start.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/setup.h"
#include "cuda/particles/state/saved.h"
#include "cuda/particles/view/picture.h"

namespace perturb::particles {

namespace {

std::size_t disc_kernel(const std::string& id) { return id == "auto" ? 0 : kernel_index(particles_simulation(), id); }

// Units of summed momentum and energy: small compared with those of a disc, so that integers count them exactly. From
// parameters that stay, so that a loaded run has those of the saved one. Discs at rest may be heated to the largest
// temperature, so their unit of energy is not arbitrarily small.
WallUnits wall_units_of(const Parameters& p) {
  const double momentum = std::max(1e-6, p.velocity_max) / p.slow_factor,
               speed = std::max(1e-3, p.velocity_max) / p.slow_factor;
  return {momentum / (1 << 20), speed * speed / (1 << 26)};
}

// Expected collisions per disc and step when a scene with these parameters starts, or when its right wall has arrived.
double collisions_at_start(const Parameters& p) {
  if (p.collisions != Collisions::exact) return 0;
  const double each = std::numbers::pi * p.radius * p.radius, n = p.count;
  Measured start;
  ReportContext context;
  context.slow = p.slow_factor;
  context.count = p.count;
  context.radius = p.radius;
  context.width = start.right = p.box;
  context.height = p.box * p.aspect;
  start.sums.area = n * each * (1 + p.second_share * (p.second_radius * p.second_radius - 1)) +
                    std::numbers::pi * p.heavy_radius * p.heavy_radius;
  // Of velocities spread evenly over a square; Maxwell's have a mean speed of 0.72.
  constexpr double mean_speed = 0.765;
  const bool rests = p.arrangement == Arrangement::given, one_moves = p.arrangement == Arrangement::rack;
  start.seen.speeds = (rests ? 0 : one_moves ? 1 : n * mean_speed) * p.velocity_max / p.slow_factor;
  const auto motion = PistonBox(p).motion(p, std::max(p.radius, p.heavy_radius), start.sums.area);
  context.wall_end = motion.end;
  context.wall_travel = motion.travel;
  context.gravity = p.gravity;
  context.hottest = std::max({p.temperature_left, p.temperature_right, p.temperature_floor, p.temperature_ceiling});
  return worst_collisions(start, context);
}

// Interface for studies and tests, in addition to the public one.
class Methods {
 public:
  virtual void use_blocks(int discs_block, int pairs_block) = 0;
  virtual void use_rounds_everywhere() = 0;

 protected:
  ~Methods() = default;
};

struct KeepGains {
  const StepControl* control;
  WallGains* gains;
  PERTURB_HD void operator()(int) const { *gains = control->gains; }
};

template <class Real, bool contract>
class Particles final : public SimulationOf<Parameters>,
                        public Methods,
                        public StabilityLimit,
                        public StabilityRemedies,
                        public ObjectPlacer,
                        public HasColumns,
                        public HasCompletion,
                        public Inspectable,
                        public CopiesMembers {
 public:
  Particles(Backend& backend, const Setup& setup, const Parameters& parameters, const Start& start)
      : SimulationOf(backend, particles_simulation(), setup, parameters),
        units_(wall_units_of(parameters)),
        box_(parameters),
        painter_(backend),
        editor_(backend),
        measurement_(backend),
        microscope_(backend),
        collider_(backend, parameters.collisions),
        gains_(backend, 1, "exchange with the walls") {
    const auto host = discs_of_start<Real>(start, parameters.slow_factor);
    measurement_.begin(host, parameters.slow_factor);
    replace_discs(host);
    apply_all(setup.actions);
  }

  void set_parameter(const std::string& id, double value) override {
    Parameters changed = with_changed(id, value, "the discs are moving. Restart the scene");
    require_rule_for(changed);
    if (changed.trail != parameters_.trail) trails_.reset(backend(), discs_.count(), changed.trail);
    if (changed.count != parameters_.count) change_count(changed);
    if (lets_go(changed)) box_.let_go();
    parameters_ = changed;
  }
  void require_stable_with(const std::string& id, double value) override {
    const Parameter& parameter = *find_parameter(info().parameters, id);
    if (parameter.group == display_group) return;
    const double present = parameter.get(&parameters_);
    Parameters changed = parameters_;
    parameter.set(&changed, value);
    Message remedy = value < present ? "Choose a higher value, or raise the slow factor."
                                     : "Choose a lower value, or raise the slow factor.";
    // Where it stops may leave the discs no room at any speed.
    if (id == "piston_speed")
      remedy = Message("Choose a lower value or a higher {}, or raise the slow factor.", parameter_name("piston_end"));
    if (parameter.apply == Apply::restart)
      require_few(collisions_at_start(parameters_), collisions_at_start(changed), remedy);
    else
      require_few_collisions(changed, {}, remedy);
  }
  void require_stable_after(const Action& requested) override {
    if (parameters_.collisions != Collisions::exact) return;
    const Action action =
        complete_action(requested, info().actions, [this](const std::string& id) { return parameters().get(id); });
    PistonBox box = box_;
    Fixtures fixtures = fixtures_;
    DiscsDisturbed disturbed;
    Message remedy = "Choose a lower speed, or raise the slow factor.";
    if (action.kind == "kick") {
      disturbed.speeds = discs_.count() * std::abs(per_step(action, "strength"));
    } else if (action.kind == "throw") {
      disturbed.speeds = std::hypot(per_step(action, "vx"), per_step(action, "vy"));
    } else if (action.kind == "add") {
      const double radius = action.get("disc_radius") > 0 ? action.get("disc_radius") : parameters_.radius;
      const double each = std::numbers::pi * radius * radius;
      disturbed.added = static_cast<int>(std::min(action.get("discs"), room_for_more() / each));
      disturbed.area = disturbed.added * each;
      disturbed.speeds = disturbed.added * std::abs(per_step(action, "speed"));
      remedy = "Add fewer or slower discs, or raise the slow factor.";
    } else if ((action.kind == "piston" || action.kind == "change-piston") && action.numbers.contains("x")) {
      box.drag_to(action.get("x"));
      remedy = Message("Drag the wall less far, or lower {}.", parameter_name("wall_speed"));
    } else if (action.kind == "heat") {
      disturbed.speed_factor = std::sqrt(action.get("factor"));
    } else if (Fixtures::is_fixture(action.kind)) {
      fixtures.apply(action);
      remedy = "Choose a lower temperature, or raise the slow factor.";
    } else {
      return;
    }
    require_few_collisions(parameters_, disturbed, remedy, Around{box, fixtures});
  }
  // Changes that slow the discs down or leave them more room.
  std::vector<StabilityRemedy> remedies() const override {
    const Parameters& p = parameters_;
    std::vector<StabilityRemedy> all;
    if (p.collisions != Collisions::exact) return all;
    const bool dragged = box_.target() >= 0;
    if (dragged) all.push_back({"wall_speed", rounded(0.1 * p.wall_speed, 2)});
    if (!dragged && p.piston_speed > 0) {
      all.push_back({"piston_speed", rounded(0.1 * p.piston_speed, 2)});
      all.push_back({"piston_speed", 0});
    }
    if (p.gravity > 0) all.push_back({"gravity", 0});
    if (p.restitution < 1) all.push_back({"restitution", 1});
    for (const auto& [id, temperature] :
         {std::pair{"temperature_left", p.temperature_left}, std::pair{"temperature_right", p.temperature_right},
          std::pair{"temperature_floor", p.temperature_floor}, std::pair{"temperature_ceiling", p.temperature_ceiling}})
      if (temperature > 1) all.push_back({id, 1});
    if (p.count > 1) all.push_back({"count", std::floor(0.5 * p.count)});
    return all;
  }
  double time() const override { return static_cast<double>(steps_) / parameters_.slow_factor; }
  Message completion() const override {
    if (parameters_.piston_speed <= 0 || !front_has_arrived(measurement_.context(now()), time())) return {};
    return "The front has reached the other wall. The run is paused, because from here on the gas is only crushed.";
  }

  void step(std::int64_t count) override {
    box_.rest();
    if (count > 0) measurement_.begin_samples(now());
    while (count > 0) {
      const std::int64_t to_sample = measurement_.steps_to_sample(steps_), taken = std::min(count, to_sample);
      take_steps(taken);
      count -= taken;
      if (taken == to_sample) measurement_.sample(now());
    }
  }

  std::vector<SceneObject> objects() const override {
    const double wall = box_.right() / box_.width(), target = box_.target() >= 0 ? box_.target() : wall;
    SceneObject piston;
    piston.id = 1;
    piston.kind = "piston";
    piston.numbers = {{"x", target}};
    constexpr double whole_knob = 0.99;  // at the right side, where half of it would be outside of the view
    piston.handles = {{"Position", std::min(target, whole_knob), 0.5, {{"x", 1, 0}}}};
    piston.outline = {{wall, 0}, {wall, 1}};
    piston.is_permanent = true;
    std::vector<SceneObject> all = fixtures_.objects(parameters_.aspect);
    all.insert(all.begin(), std::move(piston));
    return all;
  }
  std::vector<std::string> placeable() const override { return fixtures_.placeable(); }
  Action placed(const std::string& kind, double x, double y) const override {
    const double across = std::clamp(x, 0.0, 1.0);
    if (kind == "thermometer") return {kind, {{"x", across}, {"y", std::clamp(y, 0.0, 1.0)}}, "", nullptr};
    return plate_action(kind, across, temperature_now());
  }
  std::vector<Action> interpret(const Gesture& gesture) const override {
    return particles_interpret(gesture, box_.width(), box_.height(), editor_.held());
  }
  double domain_width() const override { return box_.width(); }
  double domain_height() const override { return box_.height(); }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    painter_.paint(pixels, camera, view, table, now(), trails_);
  }

  Message value_inside(double x, double y, const ViewSettings& view) override {
    const NearestDisc found = editor_.nearest(now(), x * box_.width(), y * box_.height());
    if (beyond_rim(discs_, found) > 0) return "nothing here";
    const Storage<Real>& discs = discs_.storage();
    const auto number_in = [&]<class T>(const Array<T>& array, int at) {
      T value{};
      backend().copy_to_host(&value, array.data() + at, sizeof value);
      return value;
    };
    switch (shown_disc_quantity(view.quantity)) {
      case Shown::collisions:
        return Message("disc {}: {} with discs, {} with walls", found.id, number_in(discs.disc_collisions, found.slot),
                       number_in(discs.wall_collisions, found.slot));
      case Shown::id:
        return Message("disc {}", found.id);
      case Shown::mass:
        return Message("disc {}: mass {}", found.id, format_number(static_cast<double>(kind_at(found.slot).mass), 4));
      case Shown::origin: {
        const Disc<Real> origin = number_in(discs_.origins(), found.id);
        return static_cast<double>(origin.x) < 0.5 * box_.width() ? Message("disc {}: from the left", found.id)
                                                                  : Message("disc {}: from the right", found.id);
      }
      default: {
        const Disc<Real> d = number_in(discs.discs, found.slot);
        const double speed = std::hypot(static_cast<double>(d.vx), static_cast<double>(d.vy)) * parameters_.slow_factor;
        return Message("disc {}: speed {}", found.id, format_number(speed, 4));
      }
    }
  }

  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override {
    const NearestDisc found = editor_.nearest(now(), x * box_.width(), y * box_.height());
    if (beyond_rim(discs_, found) > 0) return std::nullopt;
    const Storage<Real>& discs = discs_.storage();
    const auto of_disc = [&]<class T>(const Array<T>& array, int at) {
      T value{};
      backend().copy_to_host(&value, array.data() + at, sizeof value);
      return value;
    };
    switch (shown_disc_quantity(view.quantity)) {
      case Shown::speed: {
        const Disc<Real> d = of_disc(discs.discs, found.slot);
        return std::hypot(static_cast<double>(d.vx), static_cast<double>(d.vy)) * parameters_.slow_factor;
      }
      case Shown::id:
        return static_cast<double>(found.id) / discs_.count();
      case Shown::collisions:
        return of_disc(discs.disc_collisions, found.slot) + of_disc(discs.wall_collisions, found.slot);
      case Shown::origin:
        return static_cast<double>(of_disc(discs_.origins(), found.id).x) < 0.5 * box_.width() ? 1 : 0;
      case Shown::mass:
        return static_cast<double>(kind_at(found.slot).mass);
      case Shown::density:
        break;  // of a neighbourhood, not of a disc
    }
    return std::nullopt;
  }

  Inspection inspect_inside(double x, double y) override {
    return microscope_.inspect(now(), editor_.nearest(now(), x * box_.width(), y * box_.height()), contract,
                               physics().gravity);
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    shown_ = shown_disc_quantity(view.quantity);
    const Measured& measured = measurement_.update(now(), shown_, painter_, wait);
    const ReportContext context = measurement_.context(now());  // the report uses this measurement
    Diagnostics diagnostics = describe_discs(measured, context);
    add_disc_marks(measured, context, diagnostics);
    return diagnostics;
  }
  std::vector<Column> columns() const override {
    return {{"energy", "mass·length²/time²"},
            {"temperature", "mass·length²/time²"},
            {"momentum_x", "mass·length/time"},
            {"momentum_y", "mass·length/time"},
            {"collisions", ""},
            {"wall_collisions", ""},
            {"pressure", "mass/time²"},
            {"pressure_time", "time"},
            {"pressure_ideal", "mass/time²"},
            {"pressure_theory", "mass/time²"},
            {"maxwell_error", ""},
            {"volume", "length²"},
            {"area_fraction", ""},
            {"overlaps", ""},
            {"missed", ""},
            {"missed_share", ""},
            {"distance", "length"},
            {"discs", ""},
            {"slices", ""},
            {"cells", ""},
            {"pv_nt", ""},
            {"pv_nt_theory", ""},
            {"potential_energy", "mass·length²/time²"},
            {"total_energy", "mass·length²/time²"},
            {"temperature_first", "mass·length²/time²"},
            {"temperature_second", "mass·length²/time²"},
            {"free_path", "length"},
            {"free_path_enskog", "length"},
            {"shock_speed", "length/time"},
            {"shock_speed_theory", "length/time"},
            {"shock_fraction", ""},
            {"shock_fraction_theory", ""},
            {"mixing", ""},
            {"heat", "mass·length²/time²"},
            {"heat_rate", "mass·length²/time³"},
            {"work", "mass·length²/time²"},
            {"thermometer", "mass·length²/time²"},
            {"thermometer_error", "mass·length²/time²"},
            {"thermometer_2", "mass·length²/time²"},
            {"thermometer_2_error", "mass·length²/time²"}};
  }
  std::vector<Gauge> gauges() const override {
    const Measured* latest = measurement_.latest();
    std::vector<Gauge> gauges = disc_gauges(latest ? *latest : Measured{}, measurement_.context(now()));
    for (Gauge& gauge : gauges) gauge.measured = latest != nullptr;
    return gauges;
  }

  State save() const override {
    State state = state_without_fields();
    write_disc_state(state, discs_.download(), parameters_, box_);
    fixtures_.save(state);
    WallGains gains;
    backend().copy_to_host(&gains, &collider_.control()->gains, sizeof gains);
    if (gains.heat != 0 || gains.work != 0)
      state.put<std::int64_t>("energy_gains", {2}, "", std::vector<std::int64_t>{gains.heat, gains.work});
    return state;
  }
  void load(const State& state) override {
    DiscsSaved<Real> saved = read_disc_state<Real>(state, parameters_);
    Fixtures fixtures = Fixtures::saved_in(state);
    if (fixtures.has_plates()) require_exact_for("Flame or ice", parameters_);
    replace_discs(saved.host, saved.gains);
    fixtures_ = std::move(fixtures);
    box_.set_right(saved.right);
    box_.drag_to(saved.target);
    warning_ = std::move(saved.note);
    steps_ = state.steps;
    seed_ = state.seed;
    measurement_.forget();
  }

  void select_kernel(const std::string& id) override {
    collider_.use_kernel(id == "auto" ? 0 : kernel_on_backend(id), discs_.count());
    kernel_ = id;
  }
  void use_blocks(int discs_block, int pairs_block) override { collider_.use_blocks(discs_block, pairs_block); }
  void use_rounds_everywhere() override { collider_.use_rounds_everywhere(); }
  Message choice() const override { return collider_.choice(); }

  StepCost step_cost(const std::string& kernel) const override {
    StepCost cost;
    const double n = discs_.count();
    cost.cells = n;
    cost.rate_unit = "disc/s";
    // Each disc is read for sorting, for searching and for settling, and written; also its cell, its index and its
    // partner.
    cost.bytes = n * (4 * sizeof(Disc<Real>) + 8 * sizeof(int));
    cost.flops = n * 20;
    if (collider_.checks_all_pairs(disc_kernel(kernel))) cost.flops = 0.5 * n * (n - 1) * 17;
    return cost;
  }
  LaunchShape launch_shape(const std::string& kernel) const override {
    return backend().is_cuda() ? collider_.launch_shape(disc_kernel(kernel)) : LaunchShape{};
  }

 protected:
  void act(const Action& action) override {
    static constexpr ActionHandler<Particles> handlers[] = {
        {"kick",
         [](Particles& p, const Action& a) {
           p.editor_.kick(p.now(), p.x_of(a), p.y_of(a), a.get("radius"), p.per_step(a, "strength"));
         }},
        {"grab", [](Particles& p, const Action& a) { p.editor_.grab(p.now(), p.x_of(a), p.y_of(a), a.get("reach")); }},
        {"throw",
         [](Particles& p, const Action& a) {
           p.editor_.throw_disc(p.now(), static_cast<int>(a.get("disc")), p.x_of(a), p.y_of(a), p.per_step(a, "vx"),
                                p.per_step(a, "vy"));
         }},
        {"reverse",
         [](Particles& p, const Action&) {
           p.editor_.reverse(p.now());
           p.measurement_.reversed_at(p.time());
         }},
        {"heat",
         [](Particles& p, const Action& a) { p.editor_.heat(p.now(), a.get("factor"), p.collider_.control()->gains); }},
        {"add", [](Particles& p, const Action& a) { p.add(a); }},
        {"remove", [](Particles& p, const Action& a) { p.remove(a); }},
        {"piston", [](Particles& p, const Action& a) { p.box_.drag_to(a.get("x")); }},
        {"change-piston",
         [](Particles& p, const Action& a) {
           object_of(a, p.objects());
           if (a.numbers.count("x") > 0) p.box_.drag_to(a.get("x"));
         }},
        {"flame", [](Particles& p, const Action& a) { p.place(a); }},
        {"ice", [](Particles& p, const Action& a) { p.place(a); }},
        {"thermometer", [](Particles& p, const Action& a) { p.place(a); }},
        {"change-flame", [](Particles& p, const Action& a) { p.place(a); }},
        {"change-ice", [](Particles& p, const Action& a) { p.place(a); }},
        {"change-thermometer", [](Particles& p, const Action& a) { p.place(a); }},
        {remove_object_kind,
         [](Particles& p, const Action& a) {
           if (p.fixtures_.remove(object_of(a, p.objects()).id)) return;
           throw InputError("The wall cannot be removed. Drag it to another position.");
         }},
    };
    dispatch_action(handlers, *this, action);
    collider_.invalidate();
  }

  void visit_members(MemberCopier& copy) override {
    if (copy.is_restoring()) measurement_.forget();
    // The exchange with walls belongs to the counts of collisions, which are the discs'.
    if (!copy.is_restoring())
      parallel_for(backend(), "particles.gains", Range1D{1}, KeepGains{collider_.control(), gains_.data()});
    copy(parameters_, seed_, steps_, box_, fixtures_, discs_, trails_, measurement_, gains_);
    if (copy.is_restoring()) restored();
  }

 private:
  double x_of(const Action& action) const { return action.get("x") * box_.width(); }
  double y_of(const Action& action) const { return action.get("y") * box_.height(); }
  double per_step(const Action& action, const char* velocity) const {
    return action.get(velocity) / parameters_.slow_factor;
  }
  Kind<Real> kind_at(int slot) const {
    Kind<Real> kind{static_cast<Real>(parameters_.radius), Real(1)};
    if (!discs_.alike()) backend().copy_to_host(&kind, discs_.storage().kinds.data() + slot, sizeof kind);
    return kind;
  }
  ExactPhysics<Real> physics() const {
    const Parameters& p = parameters_;
    const double slow = p.slow_factor;
    const auto thermal_speed = [&](double temperature) { return static_cast<Real>(std::sqrt(temperature) / slow); };
    ExactPhysics<Real> physics;
    physics.gravity = static_cast<Real>(p.gravity / (slow * slow));
    physics.restitution = static_cast<Real>(p.restitution);
    physics.elastic_below = static_cast<Real>(elastic_speed(p) / slow);
    physics.left = thermal_speed(p.temperature_left);
    physics.right = thermal_speed(p.temperature_right);
    physics.floor = thermal_speed(p.temperature_floor);
    physics.ceiling = thermal_speed(p.temperature_ceiling);
    physics.seed = seed_;
    for (const Fixture& fixture : fixtures_.all())
      if (fixture.is_plate())
        physics.plates[physics.plate_count++] = {static_cast<Real>((fixture.x - 0.5 * fixture.size) * p.box),
                                                 static_cast<Real>((fixture.x + 0.5 * fixture.size) * p.box),
                                                 thermal_speed(fixture.temperature)};
    return physics;
  }
  // Area of the discs for which there is room at random positions: they cover at most 0.547 of a large box (random
  // sequential adsorption).
  double room_for_more() const { return std::max(0.0, 0.547 * box_.right() * box_.height() - discs_.covered()); }
  // Quantities that an action adds: speeds (their sum, length/step), discs, and the area that those cover.
  struct DiscsDisturbed {
    double speed_factor = 1, speeds = 0;
    int added = 0;
    double area = 0;
  };
  // Throws InputError if a step would have too many collisions with these parameters, after this disturbance, or with
  // the right wall and the fixtures as in `around`, and more than as the discs move now.
  struct Around {
    PistonBox box;
    Fixtures fixtures;
  };
  void require_few_collisions(const Parameters& changed, const DiscsDisturbed& disturbed, const Message& remedy,
                              const std::optional<Around>& around = {}) {
    if (parameters_.collisions != Collisions::exact) return;
    // Several changes may have been made since the latest measurement.
    const Measured measured = measurement_.update(now(), shown_, painter_, true);
    PistonBox moved = around ? around->box : box_;
    if (!around && lets_go(changed)) moved.let_go();
    const DiscRun<Real> run{changed, discs_, moved, around ? around->fixtures : fixtures_, collider_.control(),
                            steps_,  units_};
    Measured after = measured;
    ReportContext context = measurement_.context(run);
    after.seen.speeds = disturbed.speed_factor * after.seen.speeds + disturbed.speeds;
    after.sums.area += disturbed.area;
    context.count += disturbed.added;
    if (changed.count != parameters_.count && parameters_.count > 0) {
      const double share =
          std::min(static_cast<double>(changed.count) / parameters_.count, 1 + room_for_more() / measured.sums.area);
      after.seen.speeds *= share;
      after.sums.area *= share;
      context.pairs *= share;
      context.count = std::max(1, static_cast<int>(share * context.count));
    }
    require_few(worst_collisions(measured, measurement_.context(now())), worst_collisions(after, context), remedy);
  }
  static void require_few(double before, double after, const Message& remedy) {
    if (after <= collisions_limit() || after <= before) return;
    throw InputError(Message("A step would have {} collisions per disc, and at most {} can be computed.",
                             format_number(after, 3), format_number(collisions_limit(), 3)) +
                     remedy);
  }
  // The piston, which moves by its parameters, replaces the user's drag of the wall.
  bool lets_go(const Parameters& changed) const {
    return changed.piston_speed != parameters_.piston_speed || changed.piston_end != parameters_.piston_end;
  }
  DiscRun<Real> now() const { return {parameters_, discs_, box_, fixtures_, collider_.control(), steps_, units_}; }
  // Of the gas, as measured last or, before that, at the start.
  double temperature_now() const {
    const Measured* measured = measurement_.latest();
    if (!measured || !(measured->sums.energy > 0)) return measurement_.context(now()).start_thermal;
    return measured->sums.energy / discs_.count() * parameters_.slow_factor * parameters_.slow_factor;
  }
  void place(const Action& action) {
    if (action.kind == "flame" || action.kind == "ice") require_exact_for("Flame or ice", parameters_);
    fixtures_.apply(action);
  }

  void take_steps(std::int64_t count) {
    if (collider_.max_at_once() > 0) {
      while (count > 0) count -= take_few_steps(count);
      return;
    }
    collider_.take_steps(
        count, discs_.storage(), [this] { return discs_.grid(box_); }, [this] { take_step(); });
  }
  // Takes at least one step and at most `max_steps`; returns how many.
  std::int64_t take_few_steps(std::int64_t max_steps) {
    backend().stop_point();
    max_steps = std::min<std::int64_t>(max_steps, collider_.max_at_once());
    if (parameters_.trail > 0)
      max_steps = std::min<std::int64_t>(max_steps, parameters_.trail_every - steps_ % parameters_.trail_every);
    std::vector<Box<Real>> boxes;
    PistonBox box = box_;
    for (std::int64_t k = 0; k < max_steps; ++k) {
      box.begin_step(parameters_, discs_.largest_radius(), discs_.covered());
      boxes.push_back(box.walls<Real>());
      box.end_step();
    }
    const int done = collider_.take_steps_at_once(discs_.storage(), discs_.grid(box_), physics(), boxes);
    for (int k = 0; k < done; ++k) {
      box_.begin_step(parameters_, discs_.largest_radius(), discs_.covered());
      box_.end_step();
    }
    steps_ += done;
    if (done > 0 && steps_ % parameters_.trail_every == 0) trails_.record(backend(), discs_.grid(box_));
    if (done > 0 && !collider_.has_begun_step()) return done;
    take_or_finish_step();
    return done + 1;
  }
  void take_step() {
    backend().stop_point();
    take_or_finish_step();
  }
  void take_or_finish_step() {
    box_.begin_step(parameters_, discs_.largest_radius(), discs_.covered());
    try {
      collider_.step(discs_.storage(), discs_.grid(box_), physics());  // may be cancelled before any disc has moved
    } catch (const NonFiniteError&) {
      if (!box_.is_moving()) throw;
      take_step_at_rest();
    }
    box_.end_step();
    ++steps_;
    if (steps_ % parameters_.trail_every == 0) trails_.record(backend(), discs_.grid(box_));
  }

  // Takes the step that has too many collisions because the right wall pushes, with the wall at rest: it stays there
  // until the user moves it. If the step still has too many, it throws, and nothing has changed.
  void take_step_at_rest() {
    const PistonBox pushed = box_;
    box_.rest();
    box_.drag_to(box_.right() / box_.width());
    try {
      collider_.step(discs_.storage(), discs_.grid(box_), physics());
    } catch (...) {
      box_ = pushed;
      throw;
    }
    warning_ = Message(
        "The right wall has stopped: if it went on, a step would have too many collisions. Drag it, or "
        "change {} or {}, to move it again.",
        parameter_name("piston_speed"), parameter_name("piston_end"));
  }

  // Replaces the discs. If memory runs out, nothing changes.
  void replace_discs(const HostDiscs<Real>& host, const std::optional<WallGains>& gains = {}) {
    DiscSet<Real> new_discs(backend(), host, parameters_.radius);
    measurement_.reset(host.discs.size());
    Trails<Real> trails;
    trails.reset(backend(), new_discs.count(), parameters_.trail);
    collider_.replace_discs(step_constants_of(new_discs), fastest_of(host.discs), gains);

    // Nothing below can fail.
    discs_ = std::move(new_discs);
    trails_ = std::move(trails);
  }
  // The discs come from a state copy: updates their scratch memory and the search.
  void restored() {
    discs_.make_scratch(backend());
    measurement_.reset(static_cast<std::size_t>(discs_.count()));
    collider_.replace_discs(step_constants_of(discs_), discs_.fastest(), gains_.download().front());
  }
  StepConstants step_constants_of(const DiscSet<Real>& discs) const {
    return {box_.width(), box_.height(), discs.cell_radius(), units_, discs.count(), !discs.alike()};
  }

  void add(const Action& action) {
    DiscsToAdd wanted{x_of(action), y_of(action), action.get("radius"), static_cast<int>(action.get("discs"))};
    wanted.radius = action.get("disc_radius") > 0 ? action.get("disc_radius") : parameters_.radius;
    wanted.mass = action.get("disc_mass");
    wanted.speed = per_step(action, "speed");
    HostDiscs<Real> host = discs_.download();
    add_discs(host, wanted, parameters_, box_, discs_.cell_radius(), seed_, steps_);
    replace_discs(host);
    measurement_.forget_rates();
  }
  // Throws InputError if a step of this number of discs would take minutes. Fast discs have no neighbourhood: each must
  // be compared with all that may cross its way. By the rule `exact`, steps are divided until discs have one.
  void require_short_step(int wanted, int count) const {
    if (parameters_.collisions == Collisions::exact) return;
    constexpr double max_pairs = 2e10;
    const double fastest = discs_.fastest();
    const auto pairs = [&](int discs) {
      return discs * fewest_pairs_tested<Real>(box_.width(), box_.height(), discs_.cell_radius(), fastest, discs);
    };
    const double all = pairs(wanted);
    if (all <= max_pairs) return;
    throw InputError(
        "Cannot have {} discs: they are so fast that a step would compare {} pairs, and at most {} are possible. "
        "Choose about {} discs, or raise the slow factor.",
        count, format_number(all, 2), format_number(max_pairs, 2),
        format_number(wanted * std::sqrt(max_pairs / all), 1));
  }
  // Adds or removes discs until there are `changed.count`. If fewer fit, `changed.count` becomes their number.
  void change_count(Parameters& changed) {
    HostDiscs<Real> host = discs_.download();
    const int wanted = changed.count + (changed.heavy_radius > 0 ? 1 : 0), present = discs_.count();
    if (wanted > present) {
      require_memory(backend(), disc_bytes(backend(), changed), Message("{} discs need", changed.count),
                     "Choose fewer discs.");
      require_short_step(wanted, changed.count);
      const int missing = wanted - present;
      const int added = add_discs_anywhere(host, missing, changed, box_, discs_.cell_radius(), seed_, steps_);
      if (added < missing) {
        warning_ = Message("Only {} of {} discs were added: there is no room for more.", added, missing);
        changed.count -= missing - added;
      }
      if (added == 0) return;
    } else if (wanted < present) {
      host = without_last_discs(host, present - wanted, changed);
    } else {
      return;
    }
    replace_discs(host);
    measurement_.forget_rates();
    collider_.invalidate();
  }
  void remove(const Action& action) {
    const HostDiscs<Real> kept = discs_outside(discs_.download(), x_of(action), y_of(action), action.get("radius"));
    if (kept.discs.size() == static_cast<std::size_t>(discs_.count())) return;
    replace_discs(kept);
    measurement_.forget_rates();
  }

  const WallUnits units_;
  PistonBox box_;
  Fixtures fixtures_;
  DiscSet<Real> discs_;
  Trails<Real> trails_;
  Painter<Real> painter_;
  Editor<Real> editor_;
  Measurement<Real> measurement_;
  Microscope<Real> microscope_;
  Shown shown_ = Shown::speed;  // the quantity of the latest measurement
  Collider<Real, contract> collider_;
  Array<WallGains> gains_;  // so far, for state copies
};

template <class Real>
std::unique_ptr<Simulation> create_with(Backend& backend, const Setup& setup, const Parameters& p, const Start& start) {
  if (p.contraction) return std::make_unique<Particles<Real, true>>(backend, setup, p, start);
  return std::make_unique<Particles<Real, false>>(backend, setup, p, start);
}

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const Parameters p = parameters_of(setup);
  require_memory(backend, disc_bytes(backend, p), Message("{} discs need", p.count), "Choose fewer discs.");
  const Start start = make_disc_start(p, setup.seed);
  if (p.precision == Precision::fp32) return create_with<float>(backend, setup, p, start);
  return create_with<double>(backend, setup, p, start);
}

SimulationInfo make_info() {
  SimulationInfo info = particles_info();
  info.create = create;
  info.verify = verify;
  info.memory_needed = disc_memory_needed;
  info.faster_on_cpu = discs_faster_on_cpu;
  return info;
}

}  // namespace

void particles_use_blocks(Simulation& run, int discs_block, int pairs_block) {
  if (auto* methods = run.find<Methods>()) methods->use_blocks(discs_block, pairs_block);
}

void particles_use_rounds_everywhere(Simulation& run) {
  if (auto* methods = run.find<Methods>()) methods->use_rounds_everywhere();
}

const SimulationInfo& particles_simulation() {
  static const SimulationInfo info = make_info();
  return info;
}

}  // namespace perturb::particles
