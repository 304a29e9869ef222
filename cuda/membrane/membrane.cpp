#include "cuda/membrane/membrane.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cuda/core/parallel_for.h"
#include "cuda/core/reduce.h"
#include "cuda/core/shown.h"
#include "cuda/core/simulation_of.h"
#include "cuda/core/start.h"
#include "cuda/core/words.h"
#include "cuda/membrane/membrane_actions.h"
#include "cuda/membrane/membrane_choice.h"
#include "cuda/membrane/membrane_discretisation.h"
#include "cuda/membrane/membrane_paint.h"
#include "cuda/membrane/membrane_saved.h"
#include "cuda/membrane/membrane_theory.h"

namespace perturb {

namespace {

constexpr int default_samples = 256;
constexpr int response_points = 400;
// As near to a mode as this (relative to its eigenvalue) the steady response says nothing: the scheme's own eigenvalue,
// which lies as far away, would decide its sign and size. The growing response is shown instead.
constexpr double resonance_room = 2e-5;

MembraneShown shown_quantity(const std::string& id) {
  return static_cast<MembraneShown>(quantity_index(membrane_simulation(), id));
}

struct Samples {
  int width, height;
};
Samples samples_of(const Setup& setup) {
  const Samples s{setup.width > 0 ? setup.width : default_samples, setup.height > 0 ? setup.height : default_samples};
  if (s.width > 16384 || s.height > 16384)
    throw InputError("The membrane's field is sampled on at most 16384 x 16384 points for files, not " +
                     std::to_string(s.width) + " x " + std::to_string(s.height) + ". Choose a smaller size.");
  return s;
}

// The cover that a setup begins with.
bool refines(const Setup& setup) {
  return std::any_of(setup.actions.begin(), setup.actions.end(), membrane_changes_cover);
}
MembraneCover cover_of(const Setup& setup, const MembraneParameters& p) {
  MembraneCover cover(p.level, p.degree);
  MembraneParameters parameters = p;
  for (const Action& given : setup.actions) {
    const Action action = complete_action(given, membrane_action_kinds(), [&](const std::string& id) {
      return ParameterSet(membrane_parameter_table(), &parameters).get(id);
    });
    if (membrane_changes_cover(action)) membrane_change_cover(cover, action);
    if (action.kind == "even") cover = MembraneCover(p.level, p.degree);
  }
  return cover;
}

std::size_t sample_bytes(Samples s) { return Field<double>::bytes_of(s.width, s.height) + 4096; }

void check_parameters(const MembraneParameters& p) {
  // Refused here rather than shown as a blank picture.
  if (p.sweep != 0 && !(p.sweep_to > p.sweep_from))
    throw InputError("A sweep needs sweep_from (" + number_in_words(p.sweep_from) + ") below sweep_to (" +
                     number_in_words(p.sweep_to) + ").");
}

constexpr const char* smaller = "Choose a lower level or degree.";

class Membrane final : public SimulationOf<MembraneParameters> {
 public:
  Membrane(Backend& backend, const Setup& setup, const MembraneParameters& parameters)
      : SimulationOf(backend, membrane_simulation(), setup, parameters),
        samples_size_(samples_of(setup)),
        samples_(backend, samples_size_.width, samples_size_.height, "samples of the field"),
        probe_(backend, 1, "value of the field"),
        sums_(backend) {
    discretisation_ = std::make_unique<MembraneDiscretisation>(backend, cover_of(setup, parameters_), parameters_);
    for (const Action& action : setup.actions)
      if (!membrane_changes_cover(action) && action.kind != "even") apply(action);
    update();
  }

  void set_parameter(const std::string& id, double value) override {
    const MembraneParameters changed = with(id, value, "the membrane runs: start it anew");
    check_parameters(changed);
    if (changed.overlap != parameters_.overlap) take_cover(discretisation_->cover(), changed);
    parameters_ = changed;
  }

  double time() const override { return time_; }

  void step(std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) {
      backend().stop_point();
      const double time = time_, phase = phase_, frequency = parameters_.frequency;
      ++steps_;
      time_ += parameters_.time_step;
      phase_ += parameters_.frequency * parameters_.time_step;
      if (parameters_.sweep != 0) {
        double& f = parameters_.frequency;
        f += parameters_.sweep * parameters_.time_step;
        if (f > parameters_.sweep_to || f < parameters_.sweep_from)
          f = parameters_.sweep > 0 ? parameters_.sweep_from : parameters_.sweep_to;
      }
      try {
        update();
      } catch (const Stopped&) {
        --steps_;
        time_ = time, phase_ = phase, parameters_.frequency = frequency;
        throw;
      }
    }
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return membrane_interpret(gesture, parameters_);
  }

  double domain_width() const override { return 1; }
  double domain_height() const override { return 1; }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    MembranePaint body{};
    body.pixels = pixels;
    body.map = camera.pixel_to_domain(pixels.width, pixels.height, 1, 1);
    body.field = discretisation_->field();
    body.errors = discretisation_->errors();
    body.shown = shown_quantity(view.quantity);
    const auto [low, high] = shown_range(view, info().quantities[static_cast<std::size_t>(body.shown)]);
    body.scale = table.scale(low, high);
    body.source = membrane_source(solved_);
    body.known = membrane_known(solved_);
    body.factor = static_cast<float>(swing());
    collect(true);
    body.largest = static_cast<float>(largest());
    body.patches = parameters_.show_patches, body.cells = parameters_.show_cells;
    body.nodal_lines = parameters_.show_nodal_lines;
    body.mark = solved_.load == MembraneLoad::bump && body.shown != MembraneShown::sparsity;
    body.seed = seed_;
    parallel_for(backend(), "membrane.paint", Range2D{pixels.width, pixels.height}, body);
  }

  std::string value_inside(double x, double y, const ViewSettings& view) override {
    const MembraneShown shown = shown_quantity(view.quantity);
    const MembraneCover& cover = discretisation_->cover();
    double value = 0;
    switch (shown) {
      case MembraneShown::load:
        value = membrane_source(solved_)(x, y);
        break;
      case MembraneShown::degree:
        return "p = " + std::to_string(cover.leaves()[static_cast<std::size_t>(cover.find(x, y))].degree);
      case MembraneShown::sparsity:
        return "patches " + std::to_string(static_cast<int>((1 - y) * cover.count())) + ", " +
               std::to_string(static_cast<int>(x * cover.count()));
      case MembraneShown::over: {
        int over = 0;
        for (const MembranePatch& p : discretisation_->structure().patches) over += p.covers(x, y) ? 1 : 0;
        return std::to_string(over) + (over == 1 ? " patch" : " patches");
      }
      case MembraneShown::patch_error: {
        MembraneError error;
        const int leaf = cover.find(x, y);
        backend().copy_to_host(&error, discretisation_->errors() + leaf, sizeof error);
        value = std::ldexp(std::sqrt(error.value2), cover.leaves()[static_cast<std::size_t>(leaf)].level);
        break;
      }
      default:
        parallel_for(backend(), "membrane.probe", Range1D{1},
                     MembraneProbe{discretisation_->field(), x, y, probe_.data()});
        value = probe_.download().front();
        if (shown == MembraneShown::displacement) value *= swing();
        if (shown == MembraneShown::error) {
          const MembraneKnown known = membrane_known(solved_);
          value = known.height != 0 ? std::abs(value - known.value(x, y)) : 0;
        } else if (shown != MembraneShown::displacement) {
          value = std::abs(value);
        }
    }
    return in_unit(value, info().quantities[static_cast<std::size_t>(shown)]);
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    collect(wait);
    Diagnostics d;
    d.step = steps_, d.time = time_;
    const MembraneStructure& s = discretisation_->structure();
    d.scalars = {{"frequency", "Frequency k", "1/length", solved_.frequency},
                 {"response", "Response", "height", response_},
                 {"energy", "Energy", "height²", energy_},
                 {"largest", "Largest |u|", "height", largest() * std::abs(growth())},
                 {"iterations", "Iterations", "", static_cast<double>(last_.iterations)},
                 {"residual", "Residual", "of the load", last_.residual},
                 {"unknowns", "Unknowns", "", static_cast<double>(s.unknowns)}};
    if (membrane_known(solved_).height != 0) {
      d.scalars.push_back({"error", "Error in L²", "height", std::sqrt(error_.value2)});
      d.scalars.push_back({"slope_error", "Error in H¹", "height/length", std::sqrt(error_.slope2)});
    }
    add_curves(d);
    set_range(view, d);
    if (!trouble_.empty() || extremes_.not_finite > 0) {
      d.finite = false;
      d.trouble = !trouble_.empty()
                      ? trouble_
                      : "The solution is no longer finite: choose the Legendre basis, or an overlap and a "
                        "Nitsche constant (overlap, nitsche) in the middle of their range.";
    }
    return d;
  }

  std::vector<Gauge> gauges() const override {
    const MembraneMode mode = membrane_nearest_mode(parameters_, -parameters_.shift());
    const std::string name = "(" + std::to_string(mode.m) + ", " + std::to_string(mode.n) + ")";
    Gauge near;
    near.id = "resonance", near.label = "Near mode " + name;
    near.help = "How near the frequency is to mode " + name +
                ", which has k = " + number_in_words(std::sqrt(std::max(mode.eigenvalue + parameters_.sigma, 0.0)), 6) +
                (resonant() ? ". At it there is no steady response: it is shown growing with time."
                            : ". At it the response has no end, and grows with time.");
    // 1 at the mode's own place, and falling with the distance in eigenvalues.
    const double distance = std::abs(mode.eigenvalue + parameters_.shift()) / std::max(std::abs(mode.eigenvalue), 1.0);
    near.value = resonant() ? 1.1 : 1 / (1 + 20 * distance), near.limit = 1;
    near.near = 1 / (1 + 20 * 0.01);  // the response of this mode is a hundred times the static one
    near.remedy = "Change the frequency (frequency) to leave the mode.";
    return {near};
  }

  State save() const override {
    State state = state_without_fields(samples_size_.width, samples_size_.height);
    const MembraneStructure& s = discretisation_->structure();
    const std::size_t patches = s.patches.size(), most = static_cast<std::size_t>(membrane_functions(s.highest_degree));
    state.put<double>("u",
                      {static_cast<std::size_t>(samples_size_.height), static_cast<std::size_t>(samples_size_.width)},
                      "height", samples_.download());
    const std::vector<double> solution = discretisation_->solution().download();
    std::vector<double> coefficients(patches * most), centers, halves;
    std::vector<std::int64_t> degrees;
    for (std::size_t i = 0; i < patches; ++i) {
      const MembranePatch& p = s.patches[i];
      std::copy_n(solution.begin() + p.first, membrane_functions(p.degree),
                  coefficients.begin() + static_cast<std::ptrdiff_t>(i * most));
      centers.insert(centers.end(), {p.x, p.y});
      halves.push_back(p.half), degrees.push_back(p.degree);
    }
    state.put<double>("coefficients", {patches, most}, "height", coefficients);
    state.put<double>("patch_center", {patches, 2}, "length", centers);
    state.put<double>("patch_half_width", {patches}, "length", halves);
    state.put<std::int64_t>("degree", {patches}, "", degrees);
    // The swing's phase, since when the response grows, and the parameters of the solution that may not be today's.
    state.put<double>("clock", {4}, "", std::vector<double>{phase_, resonant_since_, response_, energy_});
    std::vector<double> solved;
    for (const Parameter& p : membrane_parameter_table()) solved.push_back(p.get(&solved_));
    state.put<double>("solved_for", {solved.size()}, "", solved);
    if (!responses_.empty()) {
      std::vector<double> table;
      for (const auto& [k, r] : responses_) table.insert(table.end(), {k, r});
      state.put<double>("response", {responses_.size(), 2}, "", table);
    }
    return state;
  }

  void load(const State& state) override;

  void select_kernel(const std::string& id) override {
    if (id != "auto") kernel_on_backend(id);
    kernel_ = id;
    solved_once_ = false;  // assembled anew with it
  }

  // Of the assembly, which is what the kernels differ in: every number of K and M written once; F
  // counts little beside them.
  StepCost step_cost(const std::string&) const override {
    const MembraneStructure& s = discretisation_->structure();
    StepCost cost;
    cost.cells = static_cast<double>(s.unknowns);
    cost.bytes = (2.0 * static_cast<double>(s.values) + static_cast<double>(s.unknowns)) * sizeof(double);
    cost.flops = 5.0 * static_cast<double>(s.values);  // two products and a sum of K, two products of M
    cost.rate_unit = "DOF/s";
    return cost;
  }
  LaunchShape launch_shape(const std::string& kernel) const override {
    return membrane_launch_shape(backend(), kernel_meant(kernel), parameters_.degree);
  }

 protected:
  void act(const Action& action) override {
    constexpr auto change_cover = [](Membrane& m, const Action& a) {
      MembraneCover cover = m.discretisation_->cover();
      membrane_change_cover(cover, a);
      m.take_cover(cover, m.parameters_);
    };
    static constexpr ActionHandler<Membrane> handlers[] = {
        {"source",
         [](Membrane& m, const Action& a) {
           MembraneParameters& p = m.parameters_;
           p.source_x = a.get("x"), p.source_y = a.get("y");
           p.source_strength = a.get("strength");
         }},
        {"frequency", [](Membrane& m, const Action& a) { m.parameters_.frequency = a.get("k"); }},
        {"raise", change_cover},
        {"lower", change_cover},
        {"split", change_cover},
        {"merge", change_cover},
        {"even",
         [](Membrane& m, const Action&) {
           m.take_cover(MembraneCover(m.parameters_.level, m.parameters_.degree), m.parameters_);
         }},
    };
    act_by(handlers, *this, action);
  }

 private:
  MembraneKernel kernel_meant(const std::string& id) const {
    if (!discretisation_->structure().uniform) return MembraneKernel::rows;
    if (id == "auto") return membrane_fastest_kernel(backend(), discretisation_->structure().highest_degree);
    if (id == "rows") return MembraneKernel::rows;
    return id == "cells" ? MembraneKernel::cells : MembraneKernel::tensor;
  }

  // Whether the frequency meets a mode of the membrane.
  static bool meets_mode(const MembraneParameters& p) {
    const MembraneMode mode = membrane_nearest_mode(p, -p.shift());
    return std::abs(mode.eigenvalue + p.shift()) < resonance_room * std::max(std::abs(mode.eigenvalue), 1.0);
  }
  bool resonant() const { return resonant_since_ >= 0; }
  // How far beside a mode the response is computed that then grows.
  static double detuning(const MembraneParameters& p) { return std::clamp(1e-3 * std::abs(p.shift()), 0.01, 0.5); }
  // A resonant mode driven from rest swings as f t sin(k t)/(2 k), and without a frequency as f t²/2. The solution
  // beside the mode is f/detuning.
  double growth() const {
    if (!resonant()) return 1;
    const double t = time_ - resonant_since_, k = solved_.frequency;
    return detuning(solved_) * (k > 0 ? t / (2 * k) : 0.5 * t * t);
  }
  // What the amplitude is multiplied by at this moment.
  double swing() const {
    if (resonant() && solved_.frequency > 0) return growth() * std::sin(phase_);
    return growth() * std::cos(phase_);
  }
  double largest() const { return std::max({std::abs(extremes_.low), std::abs(extremes_.high), 0.f}); }

  // Another cover: everything is made anew, and only then is the old one given up.
  void take_cover(const MembraneCover& cover, const MembraneParameters& p) {
    require_memory(backend(), MembraneDiscretisation::bytes(cover, p.overlap), "This cover needs", smaller);
    auto made = std::make_unique<MembraneDiscretisation>(backend(), cover, p);
    made->guess_from(*discretisation_);
    discretisation_ = std::move(made);
    solved_once_ = false;
  }

  // Makes the solution fit the parameters: assembles what has changed, and solves again. Given up, it leaves the last
  // solution, and matrices that are made anew before they are used.
  void update() {
    const MembraneParameters& p = parameters_;
    MembraneDiscretisation& d = *discretisation_;
    const bool every_step = p.assembly == MembraneAssembly::every_step;
    if (solved_once_ && !stale_ && same_problem(p, solved_) && !every_step) return;
    const bool matrices = !solved_once_ || stale_ || every_step || !same_matrices(p, solved_);
    const bool same_load = solved_once_ && same_source(p, solved_) && !matrices;
    const MembraneKernel kernel = kernel_meant(kernel_);
    d.set_basis(p.basis);
    if (solved_once_ && p.basis != solved_.basis) d.solution().fill_zero();  // coefficients of another basis
    const MembraneForm form = membrane_form(p, d.structure().highest_degree);
    const bool same_again = solved_once_ && !stale_ && same_problem(p, solved_);
    // With coefficients of another basis there would be no last solution to keep.
    std::optional<MayStop> here;
    here.emplace(backend(), !solved_once_ || p.basis == solved_.basis);
    stale_ = true;
    if (matrices || !same_load) d.assemble(kernel, form, matrices, !same_load);
    if (same_again) {  // the same numbers again
      stale_ = false;
      return;
    }
    const bool meets = meets_mode(p);
    const double shift = meets ? p.shift() + detuning(p) : p.shift();
    const bool definite = shift > 0 || (shift == 0 && membrane_lowest_eigenvalue(p) > 0);
    // The preconditioner must be definite in any case.
    const double preconditioned = definite ? shift : std::abs(shift);
    if (matrices || preconditioned != prepared_ || p.preconditioner != solved_.preconditioner)
      d.solver().prepare(d.matrix(preconditioned), form, p.preconditioner);
    prepared_ = preconditioned;
    last_ = d.solve(shift, definite, {p.preconditioner, p.tolerance, p.max_iterations});
    here.reset();
    stale_ = false;
    trouble_.clear();
    if (!last_.converged) {
      trouble_ = "The solver stopped after " + std::to_string(last_.iterations) + " iterations with a residual of " +
                 number_in_words(last_.residual, 3) + " of the load, where " + number_in_words(p.tolerance, 3) +
                 " is wanted; the last solution is kept. Raise max_iterations or tolerance, or choose the multilevel "
                 "preconditioner.";
    }
    if (meets && !resonant()) resonant_since_ = time_;
    if (!meets) resonant_since_ = -1;
    // Another way to swing starts from its crest, or from rest.
    if (!solved_once_ || (meets && !meets_mode(solved_))) phase_ = meets ? 0 : phase_;
    solved_ = p;
    solved_once_ = true;
    measure();
  }

  void measure() {
    MembraneDiscretisation& d = *discretisation_;
    energy_ = 0.5 * d.work();
    response_ = d.mean();
    if (last_.converged && !resonant() && response_ > 0) responses_[solved_.frequency] = response_;
    const MembraneKnown known = membrane_known(solved_);
    if (known.height != 0) error_ = d.error(known, std::min(d.structure().highest_degree + 3, membrane_most_points));
    collect(true);
    sums_.start("membrane.samples", Range2D{samples_size_.width, samples_size_.height},
                MembraneSample{d.field(), known, samples_.view()});
    pending_ = true;
    collect(false);
  }
  void collect(bool wait) {
    if (!pending_) return;
    if (wait) sums_.wait();
    if (!sums_.ready()) return;
    extremes_ = sums_.result();
    pending_ = false;
  }

  // What the matrices, the load and the solution depend on.
  static bool same_matrices(const MembraneParameters& a, const MembraneParameters& b) {
    for (int side = 0; side < 4; ++side)
      if (a.side_of(side) != b.side_of(side)) return false;
    return a.overlap == b.overlap && a.integration_level == b.integration_level && a.basis == b.basis &&
           a.nitsche == b.nitsche;
  }
  static bool same_source(const MembraneParameters& a, const MembraneParameters& b) {
    if (a.load != b.load || a.source_strength != b.source_strength) return false;
    if (a.load == MembraneLoad::mode) return a.mode_x == b.mode_x && a.mode_y == b.mode_y && a.shift() == b.shift();
    return a.source_x == b.source_x && a.source_y == b.source_y && a.source_width == b.source_width;
  }
  static bool same_problem(const MembraneParameters& a, const MembraneParameters& b) {
    return same_matrices(a, b) && same_source(a, b) && a.sigma == b.sigma && a.frequency == b.frequency &&
           a.preconditioner == b.preconditioner && a.tolerance == b.tolerance && a.max_iterations == b.max_iterations;
  }

  void add_curves(Diagnostics& d) const {
    if (responses_.size() > 1 || solved_.frequency > 0) {
      Curve curve;
      curve.id = "response", curve.label = "Response";
      curve.x_label = "frequency k", curve.x_unit = "1/length", curve.y_label = "response", curve.y_unit = "height";
      curve.logarithmic_y = true;
      for (const auto& [k, r] : responses_) curve.points.push_back({k, std::log10(r)});
      if (!theory_ || !same_response(theory_for_, solved_)) {
        theory_ = std::make_unique<std::vector<CurvePoint>>(membrane_exact_response(solved_, response_points));
        theory_for_ = solved_;
      }
      curve.theory = *theory_;
      d.curves.push_back(curve);
    }
    if (last_.history.size() > 1) {
      Curve curve;
      curve.id = "residual", curve.label = last_.minres ? "Residual (MINRES)" : "Residual (conjugate gradients)";
      curve.x_label = "iteration", curve.y_label = "residual", curve.y_unit = "of the load", curve.logarithmic_y = true;
      for (std::size_t k = 0; k < last_.history.size(); ++k)
        if (last_.history[k] > 0) curve.points.push_back({static_cast<double>(k), std::log10(last_.history[k])});
      d.curves.push_back(curve);
    }
  }
  static bool same_response(const MembraneParameters& a, const MembraneParameters& b) {
    MembraneParameters x = a;
    x.frequency = b.frequency;
    for (int side = 0; side < 4; ++side)
      if (a.side_of(side) != b.side_of(side)) return false;
    return same_source(x, b) && a.sigma == b.sigma && a.sweep_from == b.sweep_from && a.sweep_to == b.sweep_to;
  }

  void set_range(const ViewSettings& view, Diagnostics& d) const {
    const MembraneShown shown = shown_quantity(view.quantity);
    const Quantity& quantity = info().quantities[static_cast<std::size_t>(shown)];
    d.minimum = quantity.minimum, d.maximum = quantity.maximum;
    const double most = std::max(largest() * std::abs(growth()), 1e-30);
    if (shown == MembraneShown::displacement) d.minimum = -most, d.maximum = most;
    if (shown == MembraneShown::amplitude) d.minimum = 0, d.maximum = std::max(largest(), 1e-30);
    if (shown == MembraneShown::load)
      d.maximum = std::max(std::abs(membrane_source(solved_).strength), 1e-30), d.minimum = -d.maximum;
    if (shown == MembraneShown::error || shown == MembraneShown::patch_error)
      d.minimum = 0, d.maximum = std::max(static_cast<double>(extremes_.error), 1e-30);
  }

  MembraneParameters solved_;                 // what the solution belongs to
  bool solved_once_ = false, stale_ = false;  // stale: given up, so that matrices and preconditioner may be half made
  Samples samples_size_;
  std::string trouble_;
  std::unique_ptr<MembraneDiscretisation> discretisation_;
  Field<double> samples_;
  Array<double> probe_;
  Reduction<MembraneSums> sums_;
  bool pending_ = false;
  MembraneSums extremes_;
  MembraneSolved last_;
  MembraneError error_;
  double energy_ = 0, response_ = 0, prepared_ = 0;
  std::map<double, double> responses_;  // by frequency
  mutable std::unique_ptr<std::vector<CurvePoint>> theory_;
  mutable MembraneParameters theory_for_;
  double time_ = 0, phase_ = 0, resonant_since_ = -1;
};

void Membrane::load(const State& state) {
  MembraneSaved saved = read_membrane_state(state, parameters_.overlap);
  const MembraneCover& cover = saved.cover;
  const MembraneParameters& solved_for = saved.solved_for;
  // The cover may differ from the setup's: it has been refined by hand.
  std::unique_ptr<MembraneDiscretisation> made;
  if (cover.leaves() != discretisation_->cover().leaves()) {
    require_memory(backend(), MembraneDiscretisation::bytes(cover, parameters_.overlap), "The saved cover needs",
                   smaller);
    made = std::make_unique<MembraneDiscretisation>(backend(), cover, parameters_);
  }
  // Saved patches come in the cover's order, or in one that someone else wrote: looked up by place.
  const MembraneStructure& s = made ? made->structure() : discretisation_->structure();
  std::vector<double> solution(static_cast<std::size_t>(s.unknowns));
  const std::size_t patches = saved.centers.size() / 2, most = saved.coefficients.size() / patches;
  for (std::size_t k = 0; k < patches; ++k) {
    const int at = cover.find(saved.centers[2 * k], saved.centers[2 * k + 1]);
    const MembranePatch& p = s.patches[static_cast<std::size_t>(at)];
    std::copy_n(saved.coefficients.begin() + static_cast<std::ptrdiff_t>(k * most), membrane_functions(p.degree),
                solution.begin() + p.first);
  }

  // Nothing below can be refused.
  if (made) discretisation_ = std::move(made);
  MembraneDiscretisation& d = *discretisation_;
  d.set_basis(solved_for.basis);
  d.solution().upload(solution);
  // The matrices and the load of the saved solution, without solving for it again.
  const MembraneForm form = membrane_form(solved_for, d.structure().highest_degree);
  d.assemble(kernel_meant(kernel_), form, true, true);
  const bool meets = saved.resonant_since >= 0;
  const double shift = meets ? solved_for.shift() + detuning(solved_for) : solved_for.shift();
  const bool definite = shift > 0 || (shift == 0 && membrane_lowest_eigenvalue(solved_for) > 0);
  prepared_ = definite ? shift : std::abs(shift);
  d.solver().prepare(d.matrix(prepared_), form, solved_for.preconditioner);
  solved_ = solved_for;
  solved_once_ = true, stale_ = false;
  steps_ = state.steps, time_ = state.time, seed_ = state.seed;
  phase_ = saved.phase, resonant_since_ = saved.resonant_since;
  last_ = {};
  trouble_.clear();
  measure();
  responses_ = std::move(saved.responses);
  response_ = saved.response, energy_ = saved.energy;
}

}  // namespace

MembraneParameters membrane_parameters_of(const Setup& setup) {
  const auto p = parameters_from<MembraneParameters>(setup, membrane_parameter_table());
  check_parameters(p);
  return p;
}

std::size_t membrane_memory_needed(const Backend&, const Setup& setup) {
  const MembraneParameters p = membrane_parameters_of(setup);
  const std::size_t samples = sample_bytes(samples_of(setup));
  if (!refines(setup)) return samples + MembraneDiscretisation::uniform_bytes(p.level, p.degree);
  return samples + MembraneDiscretisation::bytes(cover_of(setup, p), p.overlap);
}

std::unique_ptr<Simulation> membrane_create(Backend& backend, const Setup& setup) {
  const MembraneParameters p = membrane_parameters_of(setup);
  require_memory(
      backend, membrane_memory_needed(backend, setup),
      "A membrane of level " + std::to_string(p.level) + " and degree " + std::to_string(p.degree) + " needs", smaller);
  return std::make_unique<Membrane>(backend, setup, p);
}

}  // namespace perturb
