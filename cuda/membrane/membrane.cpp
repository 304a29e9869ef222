#include "cuda/membrane/membrane.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/core/simulation/simulation_of.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/membrane/actions.h"
#include "cuda/membrane/measure/estimate.h"
#include "cuda/membrane/measure/gauges.h"
#include "cuda/membrane/measure/measure.h"
#include "cuda/membrane/measure/microscope.h"
#include "cuda/membrane/measure/resonators.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/solution.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/setup.h"
#include "cuda/membrane/state/saved.h"
#include "cuda/membrane/view/picture.h"

namespace perturb::membrane {

namespace {

class Membrane final : public SimulationOf<Parameters>,
                       public ObjectPlacer,
                       public StabilityLimit,
                       public HasColumns,
                       public Inspectable {
 public:
  Membrane(Backend& backend, const Setup& setup, const Parameters& parameters)
      : SimulationOf(backend, membrane_simulation(), setup, parameters),
        measurement_(backend, membrane_samples(setup)),
        picture_(backend),
        solution_(backend, cover_of(setup, parameters_), parameters_) {
    std::vector<Action> actions = setup.actions;
    std::erase_if(actions, [](const Action& action) { return changes_cover(action) || action.kind == "even"; });
    apply_all(actions);
    update();
  }

  void set_parameter(const std::string& id, double value) override {
    const Parameters changed = with_changed(id, value, "the membrane is running. Restart the scene");
    check_membrane_parameters(changed);
    if (changed.overlap != parameters_.overlap || !(membrane_domain(changed) == membrane_domain(parameters_))) {
      solution_.take_cover(solution_.cover(), changed);
      measurement_.invalidate_samples();
    }
    solution_.prepare_for(changed);
    parameters_ = changed;
    resonators_.update(parameters_);
  }

  // Only where no factorisation replaces an iteration that fails.
  void require_stable_with(const std::string& id, double value) override {
    const Parameter& parameter = *find_parameter(parameter_table(), id);
    if (parameter.apply == Apply::restart) return;
    Parameters changed = parameters_;
    ParameterSet(parameter_table(), &changed).set(id, value);
    require_convergence(Message("Cannot set {} to {}.", parameter_name(id), parameter.format(value)), solution_.cover(),
                        changed);
  }
  void require_stable_after(const Action& action) override {
    Parameters changed = parameters_;
    Cover cover = solution_.cover();
    try {
      const Action a =
          complete_action(action, action_kinds(), [this](const std::string& id) { return parameters().get(id); });
      if (a.kind == "frequency")
        changed.frequency = a.get("k");
      else if (a.kind == "even")
        cover = Cover(changed.level, changed.degree);
      else if (a.kind == "refine" && changed.motion == Movement::steady)
        cover = membrane_refined(cover, membrane_estimate(backend(), solution_.discretisation(), parameters_),
                                 static_cast<Refinement>(a.get("by")), a.get("share"));
      else if (changes_cover(a))
        membrane_change_cover(cover, a);
      else
        return;
    } catch (const InputError&) {
      return;  // rejected when it is applied
    }
    require_convergence(action.kind == "frequency" ? "Cannot change the frequency." : "Cannot change the cover.", cover,
                        changed);
  }

  double time() const override { return oscillation_.time(); }

  void step(std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) {
      const Oscillation before = oscillation_;
      const double frequency = parameters_.frequency;
      const std::int64_t steps = steps_;
      try {
        backend().stop_point();
        ++steps_;
        oscillation_.step(parameters_.time_step, frequency_of_oscillation());
        sweep();
        update();
        if (parameters_.in_time() && !move()) oscillation_ = before;  // no time has passed
        if (parameters_.modal() && solution_.find_modes(parameters_.mode_number))
          measurement_.measure(solution_, false);
      } catch (const Stopped&) {
        steps_ = steps;
        oscillation_ = before;
        parameters_.frequency = frequency;
        // Of the steps before this one.
        if (parameters_.in_time()) measurement_.measure(solution_, false);
        throw;
      }
    }
    // These measurements change with time; those of a steady membrane change only with the solution.
    if (parameters_.in_time()) measurement_.measure(solution_, false);
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return membrane_interpret(gesture, parameters_);
  }

  std::vector<std::string> placeable() const override {
    const Parameters& p = parameters_;
    return p.load == Load::bump && !p.modal() && p.source_strength == 0 ? std::vector<std::string>{"source"}
                                                                        : std::vector<std::string>{};
  }
  Action placed(const std::string& kind, double x, double y) const override {
    return {kind, {{"x", x}, {"y", y}, {"strength", Parameters().source_strength}}, {}, {}};
  }
  // The load is the only object: it has always been there, and one of strength 0 is none.
  std::vector<SceneObject> objects() const override {
    const Parameters& p = parameters_;
    if (p.load != Load::bump || p.modal() || p.source_strength == 0) return {};
    SceneObject load{
        .id = 1,
        .kind = "source",
        .numbers = {{"x", p.source_x}, {"y", p.source_y}, {"strength", p.source_strength}, {"width", p.source_width}},
        .handles = {{"Position", p.source_x, p.source_y, {{"x", 1, 0}, {"y", 0, 1}}, {}},
                    {"Width", p.source_x + p.source_width, p.source_y, {{"width", 1, 0}}, {}}},
        .outline = {}};
    constexpr int points = 64;
    for (int k = 0; k <= points; ++k) {
      const double turn = 2 * std::numbers::pi * (k % points) / points;
      load.outline.push_back(
          {p.source_x + p.source_width * std::cos(turn), p.source_y + p.source_width * std::sin(turn)});
    }
    return {load};
  }

  double domain_width() const override { return 1; }
  double domain_height() const override { return 1; }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    // Only sand and nodal lines need the largest displacement.
    const bool needs_largest = parameters_.show_nodal_lines || membrane_shown(view.quantity) == Shown::sand;
    if (needs_largest) measurement_.sample(solution_);
    picture_.paint(pixels, camera, view, table, solution_, oscillation_,
                   {parameters_, needs_largest ? measurement_.largest() : 0, seed_});
  }

  Message value_inside(double x, double y, const ViewSettings& view) override {
    const Shown shown = membrane_shown(view.quantity);
    if (!is_in_domain(x, y, shown)) return {};
    const Message words = text_at(shown, x, y, solution_.structure(), solution_.cover());
    if (!words.empty()) return words;
    return in_unit(picture_.value(shown, x, y, solution_, oscillation_),
                   info().quantities[static_cast<std::size_t>(shown)]);
  }
  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override {
    const Shown shown = membrane_shown(view.quantity);
    // Counts and grains of sand are not fields of the membrane.
    if (!is_in_domain(x, y, shown) || shown == Shown::sand ||
        !text_at(shown, x, y, solution_.structure(), solution_.cover()).empty())
      return std::nullopt;
    return picture_.value(shown, x, y, solution_, oscillation_);
  }

  Inspection inspect_inside(double x, double y) override {
    if (!solution_.structure().domain.contains(x, y)) return {};
    return inspect_cell(solution_.discretisation(), parameters_, x, y);
  }

  // Steps have waited for the device already, so this always does.
  Diagnostics diagnostics(const ViewSettings& view, bool) override {
    measurement_.sample(solution_);
    Diagnostics d = measurement_.describe(solution_, oscillation_, membrane_shown(view.quantity));
    d.step = steps_;
    if (resonators_.has_samples()) d.curves.insert(d.curves.begin(), resonators_.spectrum(parameters_));
    std::vector<Curve> bought = convergence_.curves();  // first: the user asked for them last
    d.curves.insert(d.curves.begin(), bought.begin(), bought.end());
    return d;
  }
  std::vector<Column> columns() const override {
    return {{"frequency", "1/length"},
            {"mode_frequency", "rad/time"},
            {"response", "height"},
            {"energy", "height²"},
            {"largest", "height"},
            {"iterations", ""},
            {"residual", "of the load"},
            {"unknowns", ""},
            {"phase", "°"},
            {"error", "height"},
            {"slope_error", "height/length"}};
  }
  std::vector<Gauge> gauges() const override {
    const Gauge solver = solver_gauge(solution_);
    if (parameters_.modal())
      return membrane_knows_modes(parameters_) ? std::vector<Gauge>{modes_gauge(solution_, parameters_), solver}
                                               : std::vector<Gauge>{solver};
    const Gauge waves = waves_gauge(solution_, parameters_);
    if (parameters_.in_time()) return {step_gauge(parameters_), waves, solver};
    if (!membrane_knows_modes(parameters_))
      return parameters_.frequency == 0 ? std::vector<Gauge>{solver} : std::vector<Gauge>{waves, solver};
    const Gauge resonance = resonance_gauge(parameters_, oscillation_.resonant());
    if (parameters_.frequency == 0) return {resonance, solver};
    return {resonance, waves, solver};
  }

  State save() const override {
    Saved saved;
    measurement_.sample(solution_);
    solution_.save_to(saved);
    oscillation_.save_to(saved);
    measurement_.save_to(saved);
    resonators_.save_to(saved);
    convergence_.save_to(saved);
    const GridSize samples = measurement_.samples_size();
    State state = state_without_fields(samples.width, samples.height);
    write_membrane_state(state, saved);
    return state;
  }
  void load(const State& state) override {
    Saved saved = read_membrane_state(state, parameters_);
    solution_.load_from(saved, parameters_, kernel_);
    steps_ = state.steps;
    seed_ = state.seed;
    oscillation_.load_from(saved, state.time);
    measurement_.measure(solution_, oscillation_.resonant());
    measurement_.load_from(saved);
    resonators_.load_from(saved, parameters_);
    convergence_.load_from(saved);
  }

  void select_kernel(const std::string& id) override {
    if (id != "auto") kernel_on_backend(id);
    kernel_ = id;
    solution_.forget();  // assembled again with it
  }

  // Cost of the assembly, in which the kernels differ: every number of K and M written once. F is negligible.
  StepCost step_cost(const std::string&) const override {
    const Structure& s = solution_.structure();
    StepCost cost;
    cost.cells = static_cast<double>(s.unknowns);
    cost.bytes = (2.0 * static_cast<double>(s.values) + static_cast<double>(s.unknowns)) * sizeof(double);
    cost.flops = 5.0 * static_cast<double>(s.values);  // two products and a sum of K, two products of M
    cost.rate_unit = "DOF/s";
    return cost;
  }
  LaunchShape launch_shape(const std::string& kernel) const override {
    return membrane_launch_shape(backend(), solution_.resolve_kernel(kernel), parameters_.degree);
  }

 protected:
  void act(const Action& action) override {
    constexpr auto change_cover = [](Membrane& m, const Action& a) {
      Cover cover = m.solution_.cover();
      membrane_change_cover(cover, a);
      m.take_cover(cover);
    };
    static constexpr ActionHandler<Membrane> handlers[] = {
        {"source",
         [](Membrane& m, const Action& a) {
           Parameters& p = m.parameters_;
           p.source_x = a.get("x");
           p.source_y = a.get("y");
           p.source_strength = a.get("strength");
           p.source_width = a.get("width");
         }},
        {"change-source",
         [](Membrane& m, const Action& a) {
           object_of(a, m.objects());
           Parameters& p = m.parameters_;
           for (const auto& [id, value] : {std::pair{"x", &p.source_x},
                                           {"y", &p.source_y},
                                           {"strength", &p.source_strength},
                                           {"width", &p.source_width}})
             if (const auto given = a.numbers.find(id); given != a.numbers.end()) *value = given->second;
         }},
        {remove_object_kind,
         [](Membrane& m, const Action& a) {
           object_of(a, m.objects());
           m.parameters_.source_strength = 0;
         }},
        {"strike",
         [](Membrane& m, const Action& a) {
           if (!m.parameters_.in_time())
             throw InputError("Cannot strike the membrane in steady motion. Choose the motion \"In time\".");
           m.update();
           m.solution_.strike({a.get("x"), a.get("y"), a.get("velocity")}, m.kernel_);
         }},
        {"mode", [](Membrane& m, const Action& a) { m.parameters_.mode_number = static_cast<int>(a.get("number")); }},
        {"frequency", [](Membrane& m, const Action& a) { m.parameters_.frequency = a.get("k"); }},
        {"raise", change_cover},
        {"lower", change_cover},
        {"split", change_cover},
        {"merge", change_cover},
        {"refine", [](Membrane& m, const Action& a) { m.refine(a); }},
        {"even", [](Membrane& m, const Action&) { m.take_cover(Cover(m.parameters_.level, m.parameters_.degree)); }},
    };
    dispatch_action(handlers, *this, action);
  }

 private:
  // Moves the solution to another cover. There it differs by more than rounding until it is solved again; files store
  // the moved one.
  void take_cover(const Cover& cover) {
    solution_.take_cover(cover, parameters_);
    measurement_.invalidate_samples();
  }

  void refine(const Action& a) {
    if (parameters_.motion != Movement::steady)
      throw InputError(
          "Cannot refine by the error estimate: it exists only for steady motion. Choose the motion \"Steady\".");
    const auto by = static_cast<Refinement>(a.get("by"));
    update();
    const Estimate estimate = membrane_estimate(backend(), solution_.discretisation(), parameters_);
    const Cover refined = membrane_refined(solution_.cover(), estimate, by, a.get("share"));
    note(by, estimate);
    solution_.take_cover(refined, parameters_);
    update();
    note(by, membrane_estimate(backend(), solution_.discretisation(), parameters_));
  }
  void note(Refinement by, const Estimate& estimate) {
    const bool known = membrane_known(parameters_).is_known;
    convergence_.note(by, parameters_, solution_.structure().unknowns, estimate.total(),
                      known ? measurement_.slope_error() : -1);
  }

  void require_convergence(const Message& what, const Cover& cover, const Parameters& changed) const {
    const Message why = solution_.failure_with(cover, changed, kernel_);
    if (!why.empty()) throw InputError(what + why + solver_remedy(changed));
  }

  // The sparsity pattern is no picture of the domain.
  bool is_in_domain(double x, double y, Shown shown) const {
    return shown == Shown::sparsity || solution_.structure().domain.contains(x, y);
  }

  // Advances a frequency sweep by one step; at the end it restarts.
  void sweep() {
    Parameters& p = parameters_;
    if (p.sweep == 0) return;
    p.frequency += p.sweep * p.time_step;
    if (p.frequency > p.sweep_to || p.frequency < p.sweep_from) p.frequency = p.sweep > 0 ? p.sweep_from : p.sweep_to;
  }

  // A mode oscillates at its own frequency.
  double frequency_of_oscillation() const {
    if (!parameters_.modal()) return parameters_.frequency;
    const std::vector<double>& values = solution_.modes().values();
    if (!solution_.modes().has(parameters_.mode_number)) return 0;
    return std::sqrt(std::max(values[static_cast<std::size_t>(parameters_.mode_number - 1)] + parameters_.sigma, 0.0));
  }

  bool move() {
    if (!solution_.move(oscillation_.drive(solution_.parameters()))) return false;
    const Parameters& p = parameters_;
    resonators_.add_sample(picture_.height_at(std::min(p.ear_x, 1 - 1e-12), std::min(p.ear_y, 1 - 1e-12),
                                              solution_.discretisation().field()),
                           p);
    return true;
  }

  // Updates the solution for the parameters, and everything that depends on it.
  void update() {
    const bool first = !solution_.exists();
    const Parameters before = solution_.parameters();
    if (!solution_.update(parameters_, kernel_)) return;
    const bool is_resonant = membrane_is_resonant(parameters_);
    oscillation_.update(is_resonant, first || (is_resonant && !membrane_is_resonant(before)));
    measurement_.measure(solution_, oscillation_.resonant());
  }

  Oscillation oscillation_;
  ResonatorBank resonators_;
  Convergence convergence_;
  Measurement measurement_;
  FieldPicture picture_;
  Solution solution_;
};

}  // namespace

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const Parameters p = parameters_of(setup);
  require_memory(backend, memory_needed(backend, setup),
                 Message("A membrane of level {} and degree {} needs", p.level, p.degree), smaller);
  return std::make_unique<Membrane>(backend, setup, p);
}

}  // namespace perturb::membrane
