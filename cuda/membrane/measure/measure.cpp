#include "cuda/membrane/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"
#include "cuda/membrane/measure/gauges.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

namespace {

constexpr int response_points = 400;

// Whether two sets of parameters have the same response curve over frequency.
bool same_response(const Parameters& a, const Parameters& b) {
  Parameters x = a;
  x.frequency = b.frequency;
  for (int side = 0; side < 4; ++side)
    if (a.side_of(side) != b.side_of(side)) return false;
  return same_source(x, b) && a.domain == b.domain && a.sigma == b.sigma && a.damping == b.damping;
}
bool same_response_curve(const Parameters& a, const Parameters& b) {
  return same_response(a, b) && a.sweep_from == b.sweep_from && a.sweep_to == b.sweep_to;
}

Curve residual_curve(const Solved& solve) {
  Curve curve;
  curve.id = "residual";
  curve.label = solve.minres ? "Residual (MINRES)" : "Residual (conjugate gradients)";
  curve.x_label = "iteration";
  curve.y_label = "residual";
  curve.y_unit = "of the load";
  curve.logarithmic_y = true;
  for (std::size_t k = 0; k < solve.history.size(); ++k)
    if (solve.history[k] > 0) curve.points.push_back({static_cast<double>(k), std::log10(solve.history[k])});
  return curve;
}

// The frequencies of the modes, computed and from theory, and their relative difference.
void add_mode_curves(const Solution& solution, std::vector<Curve>& curves) {
  const Parameters& p = solution.parameters();
  Curve list, error;
  list.id = "modes";
  list.label = "Modes";
  list.x_label = "number";
  list.y_label = "frequency";
  list.y_unit = "rad/time";
  error.id = "mode_errors";
  error.label = "Modes: deviation from theory";
  error.x_label = "number";
  error.y_label = "share of the frequency";
  error.logarithmic_y = true;
  const std::vector<Mode> theory = lowest_modes(p, Modes::count);
  for (int k = 1; k <= Modes::count; ++k) {
    const double exact = std::sqrt(std::max(theory[static_cast<std::size_t>(k - 1)].eigenvalue + p.sigma, 0.0));
    const double found = mode_frequency(solution, p.sigma, k);
    if (membrane_knows_modes(p)) list.theory.push_back({static_cast<double>(k), exact});
    if (!solution.modes().has_value(k)) continue;
    list.points.push_back({static_cast<double>(k), found});
    const double off = exact > 0 ? std::abs(found / exact - 1) : 0;
    if (off > 0) error.points.push_back({static_cast<double>(k), std::log10(off)});
  }
  curves.push_back(list);
  if (membrane_knows_modes(p)) curves.push_back(error);
}

}  // namespace

Measurement::Measurement(Backend& backend, GridSize samples)
    : samples_(backend, samples.width, samples.height, "samples of the field"), sums_(backend) {}

void Measurement::measure(Solution& solution, bool resonant) {
  Discretisation& d = solution.discretisation();
  const int points = std::min(d.structure().highest_degree + 3, max_points);
  const Parameters& solved = solution.parameters();
  Solver& solver = d.solver();
  const double *u = d.solution().data(), *load = d.load().data();
  const auto root = [](double square) { return std::sqrt(std::max(square, 0.0)); };
  // All products of a solution in one pass: each pass waits for the device.
  double* mass_u = d.scratch(0);
  solver.apply(d.mass_matrix(), u, mass_u);
  if (solved.is_complex()) {
    const double* q = d.quadrature().data();
    double *mass_q = d.scratch(1), *energy_u = d.scratch(2), *energy_q = d.scratch(3);
    solver.apply(d.mass_matrix(), q, mass_q);
    solver.apply(d.matrix(solved.sigma), u, energy_u);
    solver.apply(d.matrix(solved.sigma), q, energy_q);
    const auto sums = solver.dots({{u, mass_u}, {q, mass_q}, {load, u}, {load, q}, {u, energy_u}, {q, energy_q}});
    const double of_u = root(sums[0]);
    response_ = std::sqrt(of_u * of_u + std::max(sums[1], 0.0));
    phase_ = phase_of(sums[2], sums[3]);
    // Mean over a period.
    energy_ = 0.25 * (sums[4] + sums[5] + solved.frequency * solved.frequency * response_ * response_);
  } else if (solved.in_time()) {
    const double* v = d.velocity().data();
    double *mass_v = d.scratch(1), *energy_u = d.scratch(2);
    solver.apply(d.mass_matrix(), v, mass_v);
    solver.apply(d.matrix(solved.sigma), u, energy_u);
    const auto sums = solver.dots({{u, mass_u}, {v, mass_v}, {u, energy_u}});
    response_ = root(sums[0]);
    energy_ = 0.5 * (sums[1] + sums[2]);
  } else if (solved.modal()) {
    response_ = root(solver.dot(u, mass_u));
    energy_ = 0.5 * d.product_of(d.matrix(solved.sigma), u);  // at the peak
  } else {
    const auto sums = solver.dots({{u, mass_u}, {load, u}});
    response_ = root(sums[0]);
    energy_ = 0.5 * sums[1];
    if (solved.rim != RimShape::flat) {  // the load's work also contains the boundary terms
      const CellError norms = d.error({}, points);
      energy_ = 0.5 * (norms.slope2 + solved.shift() * norms.value2);
    }
  }
  // Responses to another load or other boundary conditions belong to another curve.
  if (!same_response(recorded_for_, solved)) {
    responses_.clear();
    phases_.clear();
  }
  recorded_for_ = solved;
  if (solution.solve().converged && !resonant && solved.motion == Movement::steady && response_ > 0) {
    responses_[solved.frequency] = response_;
    if (solved.is_complex()) phases_[solved.frequency] = phase_;
  }
  const Known known = membrane_known(solved);
  if (known.is_known) error_ = d.error(known, points);
  invalidate_samples();
}

void Measurement::sample(const Solution& solution) const {
  if (sampled_) return;
  const Discretisation& d = solution.discretisation();
  const Parameters& solved = solution.parameters();
  sums_.start("membrane.samples", Range2D{samples_.width(), samples_.height()},
              Sample{d.field(), solved.is_complex() ? d.quadrature().data() : nullptr, membrane_known(solved),
                     samples_.view()});
  sums_.wait();
  extremes_ = sums_.result();
  sampled_ = true;
}

double Measurement::largest() const { return std::max({std::abs(extremes_.low), std::abs(extremes_.high), 0.f}); }

Diagnostics Measurement::describe(const Solution& solution, const Oscillation& oscillation, Shown shown) const {
  const Parameters& solved = solution.parameters();
  const Solved& solve = solution.solve();
  Diagnostics d;
  d.time = oscillation.time();
  d.scalars = {{"frequency", "Frequency k", "1/length", solved.frequency, Meaning::oscillation},
               {"response", "Response", "height", response_, Meaning::field},
               {"energy", "Energy", "height²", energy_, Meaning::energy},
               {"largest", "Largest |u|", "height", largest() * std::abs(oscillation.growth(solved)), Meaning::field},
               {"iterations", "Iterations", "", static_cast<double>(solve.iterations), Meaning::computing},
               {"residual", "Residual", "of the load", solve.residual, Meaning::computing},
               {"unknowns", "Unknowns", "", static_cast<double>(solution.structure().unknowns), Meaning::computing}};
  if (solved.modal())
    d.scalars.front() =
        value_if(solution.modes().has_value(std::max(solution.shown_mode(), 1)),
                 {"mode_frequency", "Frequency of the mode", "rad/time",
                  mode_frequency(solution, solved.sigma, std::max(solution.shown_mode(), 1)), Meaning::oscillation});
  if (solved.is_complex())
    d.scalars.push_back({"phase", "Phase lag behind the load", "°", phase_, Meaning::oscillation});
  if (membrane_known(solved).is_known) {
    d.scalars.push_back({"error", "Error in L²", "height", std::sqrt(error_.value2), Meaning::accuracy});
    d.scalars.push_back({"slope_error", "Error in H¹", "height/length", std::sqrt(error_.slope2), Meaning::accuracy});
  }
  add_curves(solution, d);
  add_marks(solution, d);
  set_range(solution, oscillation, shown, d);
  if (!solution.error().empty() || extremes_.not_finite > 0) {
    d.finite = false;
    d.error = !solution.error().empty() ? solution.error()
                                        : "The solution is not finite. Choose the Legendre basis, or set the overlap "
                                          "and the Nitsche constant to the middle of their ranges.";
  }
  return d;
}

void Measurement::add_marks(const Solution& solution, Diagnostics& d) const {
  const Parameters& solved = solution.parameters();
  if (solved.modal() && !membrane_knows_modes(solved)) return;
  const int mode =
      solved.modal() && solution.modes().has(std::max(solution.shown_mode(), 1)) ? solution.shown_mode() : 0;
  // Samples are copied from the device only where they decide.
  const bool several = mode > 0 && modes_of_frequency(solved, mode).size() > 1;
  marks_.add(solved, mode, several ? samples_.download() : std::vector<double>(), samples_size(), d);
}

void Measurement::add_curves(const Solution& solution, Diagnostics& d) const {
  const Parameters& solved = solution.parameters();
  if (solved.modal()) add_mode_curves(solution, d.curves);
  if (solved.motion == Movement::steady && (responses_.size() > 1 || solved.frequency > 0)) {
    Curve curve;
    curve.id = "response";
    curve.label = "Response";
    curve.x_label = "frequency k";
    curve.x_unit = "1/length";
    curve.y_label = "response";
    curve.y_unit = "height";
    curve.logarithmic_y = true;
    for (const auto& [k, r] : responses_) curve.points.push_back({k, std::log10(r)});
    if (!theory_ || !same_response_curve(theory_for_, solved)) {
      theory_ = std::make_unique<std::vector<CurvePoint>>(exact_response(solved, response_points));
      phase_theory_ = solved.may_be_complex() ? exact_phase(solved, response_points) : std::vector<CurvePoint>();
      theory_for_ = solved;
    }
    curve.theory = *theory_;
    d.curves.push_back(curve);
    if (phases_.size() > 1 || solved.is_complex()) {
      Curve phase;
      phase.id = "phase";
      phase.label = "Phase lag behind the load";
      phase.x_label = "frequency k";
      phase.x_unit = "1/length";
      phase.y_label = "lag";
      phase.y_unit = "°";
      for (const auto& [k, degrees] : phases_) phase.points.push_back({k, degrees});
      phase.theory = phase_theory_;
      d.curves.push_back(phase);
    }
  }
  if (solution.solve().history.size() > 1) d.curves.push_back(residual_curve(solution.solve()));
}

void Measurement::set_range(const Solution& solution, const Oscillation& oscillation, Shown shown,
                            Diagnostics& d) const {
  const Quantity& quantity = membrane_simulation().quantities[static_cast<std::size_t>(shown)];
  d.minimum = quantity.minimum;
  d.maximum = quantity.maximum;
  const Parameters& solved = solution.parameters();
  // A freely vibrating membrane passes through zero: its colour range follows its energy, not its current displacement.
  // The lowest mode of a fixed membrane with all of the energy has the amplitude 0.64 sqrt(2 E); several modes share
  // it.
  const double free_amplitude = solved.in_time() && energy_ > 0 ? 0.35 * std::sqrt(2 * energy_) : 0;
  const double max_amplitude = free_amplitude > 0 ? free_amplitude : largest() * std::abs(oscillation.growth(solved));
  if (shown == Shown::displacement) {
    d.minimum = -max_amplitude;
    d.maximum = max_amplitude;
  }
  if (shown == Shown::amplitude) {
    d.minimum = 0;
    d.maximum = free_amplitude > 0 ? free_amplitude : static_cast<double>(largest());
  }
  if (shown == Shown::load) {
    d.maximum = largest_load(solved);
    d.minimum = -d.maximum;
  }
  if (shown == Shown::error || shown == Shown::patch_error) {
    d.minimum = 0;
    d.maximum = static_cast<double>(extremes_.error);
  }
}

void Measurement::save_to(Saved& saved) const {
  saved.samples = samples_.download();
  saved.response = response_;
  saved.energy = energy_;
  saved.responses = responses_;
  saved.phases = phases_;
}

void Measurement::load_from(Saved& saved) {
  responses_ = std::move(saved.responses);
  phases_ = std::move(saved.phases);
  response_ = saved.response;
  energy_ = saved.energy;
}

}  // namespace perturb::membrane
