#include "cuda/membrane/model/motion.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/elementary.h"
#include "cuda/membrane/model/sparse.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

namespace {

// Within this distance of a mode (relative to its eigenvalue) the steady response is meaningless: the scheme's own
// eigenvalue, which is as far away, would determine its sign and size. The growing response is shown instead.
constexpr double resonance_margin = 2e-5;

}  // namespace

bool membrane_is_resonant(const Parameters& p) {
  if (p.motion != Movement::steady || p.is_complex() || !membrane_knows_modes(p)) return false;
  const Mode mode = nearest_mode(p, -p.shift());
  return std::abs(mode.eigenvalue + p.shift()) < resonance_margin * std::max(std::abs(mode.eigenvalue), 1.0);
}

double detuning(const Parameters& p) { return std::clamp(1e-3 * std::abs(p.shift()), 0.01, 0.5); }

void Oscillation::update(bool is_resonant, bool restart) {
  if (is_resonant && !resonant()) resonant_since_ = time_;
  if (!is_resonant) resonant_since_ = -1;
  if (restart && is_resonant) phase_ = 0;
}

double Oscillation::drive(const Parameters& p) const { return cosine(phase_ - 0.5 * p.frequency * p.time_step); }

// A resonant mode driven from rest follows f t sin(k t)/(2 k), and without a frequency f t²/2. The solution computed
// next to the mode is f/detuning.
double Oscillation::growth(const Parameters& solved) const {
  if (!resonant()) return 1;
  const double t = time_ - resonant_since_, k = solved.frequency;
  return detuning(solved) * (k > 0 ? t / (2 * k) : 0.5 * t * t);
}

double Oscillation::factor(const Parameters& solved) const {
  if (solved.in_time() || solved.is_complex()) return 1;
  if (resonant() && solved.frequency > 0) return growth(solved) * sine(phase_);
  return growth(solved) * cosine(phase_);
}

double step_shift(const Parameters& p) {
  return p.sigma + 4 / (p.time_step * p.time_step) + 2 * p.damping / p.time_step;
}

double motion_energy(Discretisation& d, const Parameters& p) {
  double *u = d.solution().data(), *v = d.velocity().data(), *a = d.scratch(0), *b = d.scratch(1);
  d.solver().apply(d.mass_matrix(), v, a);
  d.solver().apply(d.matrix(p.sigma), u, b);
  const auto sums = d.solver().dots({{v, a}, {u, b}});
  return 0.5 * (sums[0] + sums[1]);
}

double* Motion::work(const Discretisation& d, int which) {
  const auto size = static_cast<std::size_t>(d.structure().unknowns);
  if (work_.size() != 3 * size) work_ = Array<double>(backend_, 3 * size, "vectors of the motion");
  return work_.data() + static_cast<std::size_t>(which) * size;
}

// With w in the middle of the step, u' = 2 (w - u)/dt there:
// (K + s M) w = F + M ((4/dt² + 2c/dt) u + (2/dt) v), s = sigma + 4/dt² + 2c/dt.
Solved Motion::step(Discretisation& d, const Parameters& p, double drive, bool direct) {
  double *sum = work(d, 0), *right = work(d, 1), *middle = work(d, 2);
  const double dt = p.time_step, shift = step_shift(p);
  double *u = d.solution().data(), *v = d.velocity().data();
  Solver& solver = d.solver();
  solver.combine(shift - p.sigma, u, 2 / dt, v, 0, nullptr, sum);
  solver.apply(d.mass_matrix(), sum, right);
  solver.combine(1, right, drive, d.load().data(), 0, nullptr, right);
  Solved solved;
  if (direct) {
    solved = solve_directly(d.spectrum(), shift, 0, right, middle, nullptr);
  } else {
    solver.combine(1, u, 0.5 * dt, v, 0, nullptr, middle);
    const bool definite = shift > 0 || shift + lowest_eigenvalue(p) > 0;
    const InterruptibleScope here(backend_);
    solved = solver.solve(d.matrix(shift), definite, right, middle,
                          {p.preconditioner, p.tolerance, p.max_iterations, p.may_factor()});
  }
  if (!solved.converged) return solved;
  parallel_for(backend_, "membrane.move", Range1D{static_cast<int>(d.structure().unknowns), 4096},
               FinishStep{4 / dt, middle, u, v});
  return solved;
}

Solved Motion::strike(Discretisation& d, const Parameters& p, const Form& form, Kernel kernel, const Strike& strike) {
  Form impulse = form;
  impulse.rim = {};
  impulse.source = {};
  impulse.source.x = strike.x;
  impulse.source.y = strike.y;
  impulse.source.per_width = 1 / p.source_width;
  impulse.source.strength = strike.velocity;
  double *right = work(d, 1), *velocity = work(d, 2);
  d.assemble_load(kernel, impulse, right);
  backend_.fill_zero(velocity, static_cast<std::size_t>(d.structure().unknowns) * sizeof(double));
  Solver& solver = d.solver();
  // The mass matrix needs no multilevel hierarchy: the inverses of the patches' own blocks suffice.
  solver.prepare(d.mass_matrix(), form, Preconditioner::patch);
  const Solved solved =
      solver.solve(d.mass_matrix(), true, right, velocity, {Preconditioner::patch, p.tolerance, 5000, p.may_factor()});
  if (solved.converged) solver.combine(1, d.velocity().data(), 1, velocity, 0, nullptr, d.velocity().data());
  return solved;
}

}  // namespace perturb::membrane
